--
-- PostgreSQL database dump
--


-- Dumped from database version 15.18 (Debian 15.18-0+deb12u1)
-- Dumped by pg_dump version 15.18 (Debian 15.18-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: audit; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.audit (
    business_id text NOT NULL COLLATE pg_catalog."C",
    at bigint NOT NULL,
    id text NOT NULL COLLATE pg_catalog."C",
    action text NOT NULL COLLATE pg_catalog."C",
    email text NOT NULL COLLATE pg_catalog."C",
    address text COLLATE pg_catalog."C",
    token_id text COLLATE pg_catalog."C",
    token_name text COLLATE pg_catalog."C"
);


--
-- Name: business; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.business (
    business_id text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL
);


--
-- Name: client; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.client (
    business_id text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL
);


--
-- Name: form; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.form (
    business_id text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    record text NOT NULL COLLATE pg_catalog."C"
);


--
-- Name: idempotency; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.idempotency (
    business_id text NOT NULL COLLATE pg_catalog."C",
    key text NOT NULL COLLATE pg_catalog."C",
    fingerprint bytea NOT NULL,
    created_at bigint NOT NULL,
    lead_id text COLLATE pg_catalog."C",
    lead text COLLATE pg_catalog."C",
    CONSTRAINT idempotency_check CHECK (((lead_id IS NULL) <> (lead IS NULL)))
)
PARTITION BY LIST ((((created_at / 43200000) % (4)::bigint)));


--
-- Name: idempotency_0; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.idempotency_0 (
    business_id text NOT NULL COLLATE pg_catalog."C",
    key text NOT NULL COLLATE pg_catalog."C",
    fingerprint bytea NOT NULL,
    created_at bigint NOT NULL,
    lead_id text COLLATE pg_catalog."C",
    lead text COLLATE pg_catalog."C",
    CONSTRAINT idempotency_check CHECK (((lead_id IS NULL) <> (lead IS NULL)))
);


--
-- Name: idempotency_1; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.idempotency_1 (
    business_id text NOT NULL COLLATE pg_catalog."C",
    key text NOT NULL COLLATE pg_catalog."C",
    fingerprint bytea NOT NULL,
    created_at bigint NOT NULL,
    lead_id text COLLATE pg_catalog."C",
    lead text COLLATE pg_catalog."C",
    CONSTRAINT idempotency_check CHECK (((lead_id IS NULL) <> (lead IS NULL)))
);


--
-- Name: idempotency_2; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.idempotency_2 (
    business_id text NOT NULL COLLATE pg_catalog."C",
    key text NOT NULL COLLATE pg_catalog."C",
    fingerprint bytea NOT NULL,
    created_at bigint NOT NULL,
    lead_id text COLLATE pg_catalog."C",
    lead text COLLATE pg_catalog."C",
    CONSTRAINT idempotency_check CHECK (((lead_id IS NULL) <> (lead IS NULL)))
);


--
-- Name: idempotency_3; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.idempotency_3 (
    business_id text NOT NULL COLLATE pg_catalog."C",
    key text NOT NULL COLLATE pg_catalog."C",
    fingerprint bytea NOT NULL,
    created_at bigint NOT NULL,
    lead_id text COLLATE pg_catalog."C",
    lead text COLLATE pg_catalog."C",
    CONSTRAINT idempotency_check CHECK (((lead_id IS NULL) <> (lead IS NULL)))
);


--
-- Name: lead; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.lead (
    business_id text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    client_id text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    email text COLLATE pg_catalog."C",
    phone text COLLATE pg_catalog."C",
    source text COLLATE pg_catalog."C",
    notes text COLLATE pg_catalog."C",
    value double precision,
    pipeline_id text COLLATE pg_catalog."C",
    stage_id text COLLATE pg_catalog."C",
    business_name text COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    CONSTRAINT lead_check CHECK (((pipeline_id IS NULL) = (stage_id IS NULL)))
);


--
-- Name: leadapi_schema; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.leadapi_schema (
    version integer NOT NULL,
    applied_at timestamp with time zone NOT NULL
);


--
-- Name: login_link; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.login_link (
    hash bytea NOT NULL,
    business_id text NOT NULL COLLATE pg_catalog."C",
    email text NOT NULL COLLATE pg_catalog."C",
    expires_at bigint NOT NULL
);


--
-- Name: member; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.member (
    business_id text NOT NULL COLLATE pg_catalog."C",
    email text NOT NULL COLLATE pg_catalog."C",
    role text NOT NULL COLLATE pg_catalog."C"
);


--
-- Name: operation; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.operation (
    business_id text NOT NULL COLLATE pg_catalog."C",
    server_id text NOT NULL COLLATE pg_catalog."C",
    operation_id text NOT NULL COLLATE pg_catalog."C",
    committed_at bigint NOT NULL
);


--
-- Name: pipeline; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.pipeline (
    business_id text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL
);


--
-- Name: rate_limit; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rate_limit (
    token_id text NOT NULL COLLATE pg_catalog."C",
    class text NOT NULL COLLATE pg_catalog."C",
    shares text NOT NULL,
    wanted_until bigint NOT NULL
);


--
-- Name: rate_server; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rate_server (
    server_id text NOT NULL COLLATE pg_catalog."C",
    beat bigint NOT NULL
);


--
-- Name: readiness_probe; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.readiness_probe (
    at bigint NOT NULL
);


--
-- Name: session; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.session (
    business_id text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    hash bytea NOT NULL,
    email text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    last_used_at bigint NOT NULL,
    address text COLLATE pg_catalog."C"
);


--
-- Name: stage; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.stage (
    business_id text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    pipeline_id text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    "position" bigint NOT NULL
);


--
-- Name: tally; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.tally (
    business_id text NOT NULL COLLATE pg_catalog."C",
    client_id text NOT NULL COLLATE pg_catalog."C",
    stage_id text NOT NULL COLLATE pg_catalog."C",
    from_at bigint NOT NULL,
    from_id text NOT NULL COLLATE pg_catalog."C",
    leads bigint NOT NULL,
    CONSTRAINT tally_leads_check CHECK ((leads >= 0))
);


--
-- Name: token; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.token (
    business_id text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    scopes text NOT NULL COLLATE pg_catalog."C",
    hint text NOT NULL COLLATE pg_catalog."C",
    hash bytea NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint,
    revoked_at bigint,
    created_by text COLLATE pg_catalog."C",
    last_used_at bigint
)
WITH (fillfactor='80');


--
-- Name: idempotency_0; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.idempotency ATTACH PARTITION public.idempotency_0 FOR VALUES IN ('0');


--
-- Name: idempotency_1; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.idempotency ATTACH PARTITION public.idempotency_1 FOR VALUES IN ('1', '-1');


--
-- Name: idempotency_2; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.idempotency ATTACH PARTITION public.idempotency_2 FOR VALUES IN ('2', '-2');


--
-- Name: idempotency_3; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.idempotency ATTACH PARTITION public.idempotency_3 FOR VALUES IN ('3', '-3');


--
-- Data for Name: audit; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.audit VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', 1795635621717, '01a21439-2f57-7139-b0c1-0cb8cfeb14d4', 'token_created', 'owner@harbour.example', NULL, '01a21439-2f55-76f0-8174-4b20f18c740d', 'valid');
INSERT INTO public.audit VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', 1795635622293, '01a21439-31d5-7205-9fec-1d1574f0b9ed', 'token_created', 'owner@harbour.example', NULL, '01a21439-3195-7793-b6d6-ad030a78cf99', 'revoked');
INSERT INTO public.audit VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', 1795635622850, '01a21439-33f5-76b2-b05b-0d90d613afe0', 'token_revoked', 'owner@harbour.example', NULL, '01a21439-3195-7793-b6d6-ad030a78cf99', 'revoked');


--
-- Data for Name: business; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.business VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', 'Harbour & Pine Marketing', 1768208400000);
INSERT INTO public.business VALUES ('019c672e-1800-70f7-b69d-80b43bb17e12', 'Blue Mesa Media', 1771257600000);


--
-- Data for Name: client; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.client VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', '019bb17b-d806-7737-af83-b92ecab0df7d', 'Lumière Dental Studio', 1768209242118);
INSERT INTO public.client VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', '019bd60e-d6ea-76db-8b8e-6e47615081e2', 'Casa Verde Realty', 1768822855402);
INSERT INTO public.client VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', '019c2289-04ff-72e0-ab0d-54b0b197aaeb', 'Fjell Fitness AS', 1770105931007);
INSERT INTO public.client VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', '019cac23-7590-7da5-9f56-a5d4414b8d75', 'Sakura Language School', 1772414530960);
INSERT INTO public.client VALUES ('019c672e-1800-70f7-b69d-80b43bb17e12', '019c6741-08f5-776f-9b75-cfb66003c008', 'Red Rock Solar', 1771258841333);
INSERT INTO public.client VALUES ('019c672e-1800-70f7-b69d-80b43bb17e12', '019c95f7-2c4f-71e0-a24f-d91dfd948351', 'Canyon Family Law', 1772042529871);


--
-- Data for Name: form; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.form VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', '5f0c1a3e-9d1b-4c52-8e0f-2f6f3d5b7a11', '{"form":{"id":"5f0c1a3e-9d1b-4c52-8e0f-2f6f3d5b7a11","client_id":"019bb17b-d806-7737-af83-b92ecab0df7d","name":"Home care check","description":null,"fields":[],"pages":[{"id":"pg_recipient","title":"Who is it for?","fields":[{"id":"q_recipient","type":"single_choice","label":"Who needs support at home?","required":true,"options":[{"id":"o_mother","label":"my mother","score":5},{"id":"o_father","label":"my father","score":5},{"id":"o_partner","label":"my partner","score":5},{"id":"o_self","label":"me","score":3}],"mappedKey":"recipient","mappedKeyManual":true}]},{"id":"pg_details","title":"A few details","fields":[{"id":"q_age","type":"number","label":"How old is the person? ({recipient})","required":true,"min":18,"mappedKey":"recipient_age","mappedKeyManual":true},{"id":"q_level","type":"single_choice","label":"Does {recipient} already have a care level?","required":false,"options":[{"id":"o_lv0","label":"None yet","score":0},{"id":"o_lv1","label":"Level 1 or 2","score":5},{"id":"o_lv3","label":"Level 3","score":10},{"id":"o_lv4","label":"Level 4 or 5","score":20}],"mappedKey":"care_level","mappedKeyManual":true}]},{"id":"pg_need","title":"What is needed?","fields":[{"id":"q_need","type":"single_choice","label":"What should we help {recipient} with?","required":true,"options":[{"id":"o_household","label":"Household and errands","score":5},{"id":"o_personal","label":"Personal care","score":15},{"id":"o_livein","label":"Live-in care around the clock","score":30},{"id":"o_home","label":"A place in a nursing home","score":0}],"mappedKey":"need","mappedKeyManual":true}]},{"id":"pg_hours","title":"How much time?","fields":[{"id":"q_hours","type":"number","label":"How many hours of help per week?","required":true,"min":1,"mappedKey":"hours_per_week","mappedKeyManual":true}]},{"id":"pg_livein","title":"Live-in care","fields":[{"id":"q_room","type":"single_choice","label":"Is there a separate room for a caregiver?","required":true,"options":[{"id":"o_room_yes","label":"Yes","score":10},{"id":"o_room_no","label":"No","score":0}],"mappedKey":"separate_room","mappedKeyManual":true},{"id":"q_start","type":"short_text","label":"When should the care begin?","required":false,"mappedKey":"start_date","mappedKeyManual":true}]},{"id":"pg_location","title":"Where?","fields":[{"id":"q_postal","type":"short_text","label":"In which postal code does {recipient} live?","required":true,"mappedKey":"postal_code","mappedKeyManual":false}]},{"id":"pg_contact","title":"Almost done","fields":[{"id":"q_name","type":"short_text","label":"What is your name?","required":true,"mappedKey":"name","mappedKeyManual":false},{"id":"q_email","type":"email","label":"{name}, where may we send the offer?","required":true,"mappedKey":"email","mappedKeyManual":false},{"id":"q_phone","type":"phone","label":"And a phone number for questions?","required":false,"mappedKey":"phone","mappedKeyManual":false}]}],"logic":{"rules":[{"id":"r_home","name":"Nursing home is not offered","fromPageId":"pg_need","then":{"kind":"jump","target":"end:end_not_served"},"groups":[{"op":"AND","conds":[{"fieldId":"q_need","op":"equals","value":"o_home"}]}],"outerOp":"OR"},{"id":"r_livein","name":"Live-in care","fromPageId":"pg_need","then":{"kind":"jump","target":"pg_livein"},"groups":[{"op":"AND","conds":[{"fieldId":"q_need","op":"equals","value":"o_livein"}]}],"outerOp":"OR"},{"id":"r_need_fb","name":"__fallback__","fromPageId":"pg_need","then":{"kind":"jump","target":"pg_hours"},"groups":[],"outerOp":"OR"},{"id":"r_many_hours","name":"More than 39 hours: talk about live-in care","fromPageId":"pg_hours","then":{"kind":"jump","target":"pg_livein"},"groups":[{"op":"AND","conds":[{"fieldId":"q_hours","op":"gt","value":39}]}],"outerOp":"OR"},{"id":"r_hours_fb","name":"__fallback__","fromPageId":"pg_hours","then":{"kind":"jump","target":"pg_location"},"groups":[],"outerOp":"OR"},{"id":"r_no_room","name":"No room, no high care level","fromPageId":"pg_livein","then":{"kind":"jump","target":"end:end_not_served"},"groups":[{"op":"AND","conds":[{"fieldId":"q_room","op":"equals","value":"o_room_no"}]},{"op":"OR","conds":[{"fieldId":"q_level","op":"equals","value":"o_lv0"},{"fieldId":"q_level","op":"equals","value":"o_lv1"}]}],"outerOp":"AND"},{"id":"r_livein_fb","name":"__fallback__","fromPageId":"pg_livein","then":{"kind":"jump","target":"pg_location"},"groups":[],"outerOp":"OR"},{"id":"r_call","name":"Warm lead books a call","fromPageId":"pg_contact","then":{"kind":"jump","target":"end:end_booking"},"groups":[{"op":"AND","conds":[{"fieldId":"q_phone","op":"is_filled"},{"fieldId":"q_hours","op":"gt","value":9}]},{"op":"OR","conds":[{"fieldId":"q_need","op":"equals","value":"o_livein"},{"fieldId":"q_level","op":"equals","value":"o_lv4"}]}],"outerOp":"OR"},{"id":"r_contact_fb","name":"__fallback__","fromPageId":"pg_contact","then":{"kind":"jump","target":"end:end_thanks"},"groups":[],"outerOp":"OR"}]},"theme":{"preset":"custom","bgColor":"#FFFFFF","textColor":"#16302B","bgGradientTo":"#EAF4F1","primaryColor":"#1F7A68","buttonGradientTo":"#2FA98F","bgGradient":true,"buttonGradient":false,"showChoiceLetters":true,"fontFamily":"Inter","buttonShape":"rounded","buttonTextAlign":"center","borderRadius":12,"buttonPadding":14,"inputFontSize":16,"buttonFontSize":16,"questionFontSize":22,"bgGradientAngle":135},"settings":{"endings":[{"id":"end_booking","title":"Book a call","heading":"Thank you. Pick a time that suits you.","message":"A care adviser calls you at the time you choose.","createsLead":true,"kind":"calendar","metaEvent":{"name":"Schedule"},"calendarSlug":"care-advice-call","calendarProvider":"builtin","postBookingRedirectUrl":"https://www.example.com/booked"},{"id":"end_thanks","title":"Thank you","heading":"Thank you!","message":"We will send the offer within one working day.","metaEvent":{"name":"Lead"}},{"id":"end_not_served","title":"Not offered","heading":"We cannot help with this one","message":"We do not offer this service. Your local advice centre can.","createsLead":false}],"allowBack":true,"redirectUrl":null,"verifyEmail":false,"verifyPhone":false,"showProgress":true,"autoBookFieldId":null,"autoBookDuration":30,"defaultBookingSlug":"care-advice-call"},"confirmation_message":"Thank you! We have received your request.","is_active":true,"target_pipeline_id":"019bb18a-75c0-709b-bb7b-78b1e6989752","live_snapshot":{"logic":{"rules":[{"id":"r_home","name":"Nursing home is not offered","fromPageId":"pg_need","then":{"kind":"jump","target":"end:end_not_served"},"groups":[{"op":"AND","conds":[{"fieldId":"q_need","op":"equals","value":"o_home"}]}],"outerOp":"OR"},{"id":"r_livein","name":"Live-in care","fromPageId":"pg_need","then":{"kind":"jump","target":"pg_livein"},"groups":[{"op":"AND","conds":[{"fieldId":"q_need","op":"equals","value":"o_livein"}]}],"outerOp":"OR"},{"id":"r_need_fb","name":"__fallback__","fromPageId":"pg_need","then":{"kind":"jump","target":"pg_hours"},"groups":[],"outerOp":"OR"},{"id":"r_many_hours","name":"More than 39 hours: talk about live-in care","fromPageId":"pg_hours","then":{"kind":"jump","target":"pg_livein"},"groups":[{"op":"AND","conds":[{"fieldId":"q_hours","op":"gt","value":39}]}],"outerOp":"OR"},{"id":"r_hours_fb","name":"__fallback__","fromPageId":"pg_hours","then":{"kind":"jump","target":"pg_location"},"groups":[],"outerOp":"OR"},{"id":"r_no_room","name":"No room, no high care level","fromPageId":"pg_livein","then":{"kind":"jump","target":"end:end_not_served"},"groups":[{"op":"AND","conds":[{"fieldId":"q_room","op":"equals","value":"o_room_no"}]},{"op":"OR","conds":[{"fieldId":"q_level","op":"equals","value":"o_lv0"},{"fieldId":"q_level","op":"equals","value":"o_lv1"}]}],"outerOp":"AND"},{"id":"r_livein_fb","name":"__fallback__","fromPageId":"pg_livein","then":{"kind":"jump","target":"pg_location"},"groups":[],"outerOp":"OR"},{"id":"r_call","name":"Warm lead books a call","fromPageId":"pg_contact","then":{"kind":"jump","target":"end:end_booking"},"groups":[{"op":"AND","conds":[{"fieldId":"q_phone","op":"is_filled"},{"fieldId":"q_hours","op":"gt","value":9}]},{"op":"OR","conds":[{"fieldId":"q_need","op":"equals","value":"o_livein"},{"fieldId":"q_level","op":"equals","value":"o_lv4"}]}],"outerOp":"OR"},{"id":"r_contact_fb","name":"__fallback__","fromPageId":"pg_contact","then":{"kind":"jump","target":"end:end_thanks"},"groups":[],"outerOp":"OR"}]},"pages":[{"id":"pg_recipient","title":"Who is it for?","fields":[{"id":"q_recipient","type":"single_choice","label":"Who needs support at home?","required":true,"options":[{"id":"o_mother","label":"my mother","score":5},{"id":"o_father","label":"my father","score":5},{"id":"o_partner","label":"my partner","score":5},{"id":"o_self","label":"me","score":3}],"mappedKey":"recipient","mappedKeyManual":true}]},{"id":"pg_details","title":"A few details","fields":[{"id":"q_age","type":"number","label":"How old is {recipient}?","required":true,"min":18,"mappedKey":"recipient_age","mappedKeyManual":true},{"id":"q_level","type":"single_choice","label":"Does {recipient} already have a care level?","required":false,"options":[{"id":"o_lv0","label":"None yet","score":0},{"id":"o_lv1","label":"Level 1 or 2","score":5},{"id":"o_lv3","label":"Level 3","score":10},{"id":"o_lv4","label":"Level 4 or 5","score":20}],"mappedKey":"care_level","mappedKeyManual":true}]},{"id":"pg_need","title":"What is needed?","fields":[{"id":"q_need","type":"single_choice","label":"What should we help {recipient} with?","required":true,"options":[{"id":"o_household","label":"Household and errands","score":5},{"id":"o_personal","label":"Personal care","score":15},{"id":"o_livein","label":"Live-in care around the clock","score":30},{"id":"o_home","label":"A place in a nursing home","score":0}],"mappedKey":"need","mappedKeyManual":true}]},{"id":"pg_hours","title":"How much time?","fields":[{"id":"q_hours","type":"number","label":"How many hours of help per week?","required":true,"min":1,"mappedKey":"hours_per_week","mappedKeyManual":true}]},{"id":"pg_livein","title":"Live-in care","fields":[{"id":"q_room","type":"single_choice","label":"Is there a separate room for a caregiver?","required":true,"options":[{"id":"o_room_yes","label":"Yes","score":10},{"id":"o_room_no","label":"No","score":0}],"mappedKey":"separate_room","mappedKeyManual":true},{"id":"q_start","type":"short_text","label":"When should the care begin?","required":false,"mappedKey":"start_date","mappedKeyManual":true}]},{"id":"pg_location","title":"Where?","fields":[{"id":"q_postal","type":"short_text","label":"In which postal code does {recipient} live?","required":true,"mappedKey":"postal_code","mappedKeyManual":false}]},{"id":"pg_contact","title":"Almost done","fields":[{"id":"q_name","type":"short_text","label":"What is your name?","required":true,"mappedKey":"name","mappedKeyManual":false},{"id":"q_email","type":"email","label":"{name}, where may we send the offer?","required":true,"mappedKey":"email","mappedKeyManual":false},{"id":"q_phone","type":"phone","label":"And a phone number for questions?","required":false,"mappedKey":"phone","mappedKeyManual":false}]}],"theme":{"preset":"custom","bgColor":"#FFFFFF","textColor":"#16302B","bgGradientTo":"#EAF4F1","primaryColor":"#1F7A68","buttonGradientTo":"#2FA98F","bgGradient":true,"buttonGradient":false,"showChoiceLetters":true,"fontFamily":"Inter","buttonShape":"rounded","buttonTextAlign":"center","borderRadius":12,"buttonPadding":14,"inputFontSize":16,"buttonFontSize":16,"questionFontSize":22,"bgGradientAngle":135},"settings":{"endings":[{"id":"end_booking","title":"Book a call","heading":"Thank you. Pick a time that suits you.","message":"A care adviser calls you at the time you choose.","createsLead":true,"kind":"calendar","metaEvent":{"name":"Schedule"},"calendarSlug":"care-advice-call","calendarProvider":"builtin","postBookingRedirectUrl":"https://www.example.com/booked"},{"id":"end_thanks","title":"Thank you","heading":"Thank you!","message":"We will send the offer within one working day.","metaEvent":{"name":"Lead"}},{"id":"end_not_served","title":"Not offered","heading":"We cannot help with this one","message":"We do not offer this service. Your local advice centre can.","createsLead":false}],"allowBack":true,"redirectUrl":null,"verifyEmail":false,"verifyPhone":false,"showProgress":true,"autoBookFieldId":null,"autoBookDuration":30},"confirmation_message":"Thank you! We have received your request."},"live_version":3},"client":{"logo_url":"https://www.example.com/logo.svg","company_name":"Example Care Ltd"},"capi":{"pixel_id":"000000000000000","preset_id":"preset_lead_default"}}');


--
-- Data for Name: idempotency_0; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: idempotency_1; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.idempotency_1 VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', 'csv-82f66fc7c1d80c50eacd6eaf13d1344d-1', '\x0ed3eec854c3b3a496b9b1721d564f16e80fb26632c9340ee253cae531d5f825', 1795635623362, '01a21439-35c2-77e5-b7e5-01676cf2266f', NULL);
INSERT INTO public.idempotency_1 VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', 'csv-892518ce5d016482ae1aebcf8e79bb71-1', '\xaa8440de8734eba053a07aee324a0df36083b62e4dfe102f245937f1edd25bb1', 1795635623362, '01a21439-35c2-77e5-b7e5-0166cb4a389b', NULL);
INSERT INTO public.idempotency_1 VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', 'csv-892518ce5d016482ae1aebcf8e79bb71-2', '\xaa8440de8734eba053a07aee324a0df36083b62e4dfe102f245937f1edd25bb1', 1795635623362, '01a21439-35c2-77e5-b7e5-0168e038b98f', NULL);
INSERT INTO public.idempotency_1 VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', 'key-unchanged', '\x2f3feee26b8e57ddc825a39819f8350bcd1fd1b5634c9d20164993b340b4d7f7', 1795635623877, '01a21439-37c5-732b-8e6f-33730b1807b3', NULL);
INSERT INTO public.idempotency_1 VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', 'key-changed', '\x30a2e91e5ab1d58068f888d9851101d874250ba686c272a8f6a6b0b9bcb4c804', 1795635623877, NULL, '{"id":"01a21439-37c5-732b-8e6f-3374e70bb901","client_id":"019bb17b-d806-7737-af83-b92ecab0df7d","name":"changed","email":"ann@example.org","phone":null,"source":null,"notes":"a\nb","value":450.5,"pipeline_id":null,"stage_id":null,"business_name":null,"created_at":"2026-11-25T19:40:23.877Z"}');
INSERT INTO public.idempotency_1 VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', 'key-deleted', '\x80acb24c91b2c4322d4a42b059f7119737c00de33537a22562bb8253ae3e8c12', 1795635623877, NULL, '{"id":"01a21439-37c5-732b-8e6f-3375a6c75336","client_id":"019bb17b-d806-7737-af83-b92ecab0df7d","name":"deleted","email":"ann@example.org","phone":null,"source":null,"notes":"a\nb","value":450.5,"pipeline_id":null,"stage_id":null,"business_name":null,"created_at":"2026-11-25T19:40:23.877Z"}');


--
-- Data for Name: idempotency_2; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: idempotency_3; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: lead; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.lead VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', '019df1fe-aa24-7216-ab13-247ee211394a', '019bb17b-d806-7737-af83-b92ecab0df7d', 'Élodie Fournier', 'elodie.fournier@example.fr', '+33 1 99 00 14 20', 'website', 'Wants whitening before a wedding in July.', 450, '019bb18f-09a0-7acc-837b-e75179b660f7', '019bb18f-09a3-7859-b0cb-e0a0e18fadf1', NULL, 1777881492004);
INSERT INTO public.lead VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', '019dfde1-65c7-7a45-88e5-1503bf2da554', '019bd60e-d6ea-76db-8b8e-6e47615081e2', 'María José Íñiguez Peña', 'mj.iniguez@example.es', '+34 600 000 001', 'facebook', NULL, 285000, '019bb18a-75c0-709b-bb7b-78b1e6989752', '019bb18a-75c3-7d10-8348-334c195522ed', NULL, 1778080900551);
INSERT INTO public.lead VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', '019e0c30-b898-7783-bda1-d1f890ade67f', '019c2289-04ff-72e0-ab0d-54b0b197aaeb', 'Øyvind Håkonsen', 'oyvind@example.no', '+47 00 00 00 01', 'walk_in', '12-month membership, asked about student price.', 5988, '019bb18a-75c0-709b-bb7b-78b1e6989752', '019bb18a-75c5-75fc-92ca-86be6a7339b9', NULL, 1778320980120);
INSERT INTO public.lead VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', '019e14eb-d2c1-7cca-bde4-f1d6da9a42c5', '019cac23-7590-7da5-9f56-a5d4414b8d75', '佐藤 美咲', 'misaki.sato@example.jp', '+81 3-0000-0001', 'google', '平日夜のクラスを希望', 132000, '019bb18a-75c0-709b-bb7b-78b1e6989752', '019bb18a-75c2-7604-9566-25272539a58f', NULL, 1778467459777);
INSERT INTO public.lead VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', '019e20ac-0674-7f07-aee3-194a13e5d97a', '019bb17b-d806-7737-af83-b92ecab0df7d', 'Jean-Baptiste N''Guessan', 'jb.nguessan@example.org', '06 39 98 12 07', 'referral', 'Referred by Dr Petit.', NULL, '019bb18f-09a0-7acc-837b-e75179b660f7', '019bb18f-09a2-7ad4-82d9-5cd8ce412832', NULL, 1778664605300);
INSERT INTO public.lead VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', '019e2cd7-1296-7cff-816c-561cfdd7827b', '019bd60e-d6ea-76db-8b8e-6e47615081e2', 'Siobhán O''Rourke', 'siobhan.orourke@example.ie', '020 7946 0118', 'website', 'Relocating from Dublin, 3 bedrooms, sea view.
Call after 18:00 CET.', 410000.5, '019bb18a-75c0-709b-bb7b-78b1e6989752', '019bb18a-75c4-7bda-a08d-a35c53358c3f', 'O''Rourke & Daughters Ltd', 1778868753046);
INSERT INTO public.lead VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', '019e39d0-870e-7b17-8a65-169b944ed930', '019c2289-04ff-72e0-ab0d-54b0b197aaeb', 'Ingrid Bjørnsdatter Sæther', 'ingrid.saether@example.no', NULL, 'instagram', NULL, 499, '019bb18f-09a0-7acc-837b-e75179b660f7', '019bb18f-09a1-7e0c-97dd-8983a0da0930', NULL, 1779086427918);
INSERT INTO public.lead VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', '019e47d4-f7ff-798c-8438-e72c436c9406', '019cac23-7590-7da5-9f56-a5d4414b8d75', 'Nguyễn Thị Minh Khai', 'minhkhai@example.vn', '+84 00 0000 0002', 'facebook', 'JLPT N3 course', 98000, '019bb18a-75c0-709b-bb7b-78b1e6989752', '019bb18a-75c1-794d-bbfb-0c2da394720a', NULL, 1779321599999);
INSERT INTO public.lead VALUES ('019c672e-1800-70f7-b69d-80b43bb17e12', '019e0362-b14f-77da-aa89-1e394b7917ff', '019c6741-08f5-776f-9b75-cfb66003c008', 'Hannah Whitehorse', 'hannah.w@example.com', '+1 505 555 0101', 'website', 'Two-storey house, south facing roof', 24500, '019c6749-8f40-73ef-a666-7c851e3fabe0', '019c6749-8f42-7907-b8fe-54b814b396fe', NULL, 1778173260111);
INSERT INTO public.lead VALUES ('019c672e-1800-70f7-b69d-80b43bb17e12', '019e41e7-b896-7a92-980c-e50a5c568217', '019c6741-08f5-776f-9b75-cfb66003c008', 'Diego Armijo', 'diego.armijo@example.com', '(505) 555-0112', 'facebook', NULL, 18000, '019c6749-8f40-73ef-a666-7c851e3fabe0', '019c6749-8f41-7a8b-b3e1-4f997ac50d42', NULL, 1779222165654);
INSERT INTO public.lead VALUES ('019c672e-1800-70f7-b69d-80b43bb17e12', '019e934a-bfa4-7f9a-a110-f176749ba76e', '019c95f7-2c4f-71e0-a24f-d91dfd948351', 'Latoya Jefferson', 'latoya.j@example.org', '505.555.0123', 'google', 'Custody question; call before noon', NULL, '019c6749-8f40-73ef-a666-7c851e3fabe0', '019c6749-8f42-7907-b8fe-54b814b396fe', NULL, 1780587610020);
INSERT INTO public.lead VALUES ('019c672e-1800-70f7-b69d-80b43bb17e12', '019ed27b-8905-7d62-abf7-8439f1c7daa9', '019c6741-08f5-776f-9b75-cfb66003c008', 'Wei-Ling Chen', 'weiling.chen@example.net', NULL, 'referral', NULL, 31250.5, '019c6749-8f40-73ef-a666-7c851e3fabe0', '019c6749-8f43-7c9b-b4a4-6937122f43dd', 'Mesa Tea House LLC', 1781647771909);
INSERT INTO public.lead VALUES ('019c672e-1800-70f7-b69d-80b43bb17e12', '019f19c0-dec4-7a4f-9e51-33c9d0031e3b', '019c95f7-2c4f-71e0-a24f-d91dfd948351', 'Seán Murphy', 'sean.murphy@example.ie', '+1 505 555 0134', 'phone', NULL, 2500, '019c6749-8f40-73ef-a666-7c851e3fabe0', '019c6749-8f43-7c9b-b4a4-6937122f43dd', NULL, 1782843498180);
INSERT INTO public.lead VALUES ('019c672e-1800-70f7-b69d-80b43bb17e12', '019f5c67-5064-786d-a954-e3e83a98e8a2', '019c6741-08f5-776f-9b75-cfb66003c008', 'Élodie Fournier', 'elodie.fournier@example.fr', '+33 1 99 00 14 20', 'website', 'Same person as a lead of the other business: must never be visible across', 900, '019c6749-8f40-73ef-a666-7c851e3fabe0', '019c6749-8f44-7456-a964-1e7257058f1d', NULL, 1783961702500);
INSERT INTO public.lead VALUES ('019c672e-1800-70f7-b69d-80b43bb17e12', '019f8b4e-6ac0-7cd1-8e33-6886417d9254', '019c95f7-2c4f-71e0-a24f-d91dfd948351', 'Maria Delgado', 'maria.delgado@example.com', '+1 505 555 0145', 'website', NULL, 0, NULL, NULL, NULL, 1784748600000);
INSERT INTO public.lead VALUES ('019c672e-1800-70f7-b69d-80b43bb17e12', '019fd246-5b7c-73a3-83a4-6320c0bb6775', '019c6741-08f5-776f-9b75-cfb66003c008', 'Kofi Mensah', 'kofi.mensah@example.gh', '+233 00 000 0001', 'facebook', NULL, 12000, '019c6749-8f40-73ef-a666-7c851e3fabe0', '019c6749-8f41-7a8b-b3e1-4f997ac50d42', NULL, 1785939254140);
INSERT INTO public.lead VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', '01a21439-35c2-77e5-b7e5-0166cb4a389b', '019bb17b-d806-7737-af83-b92ecab0df7d', 'Ann', 'ann@example.org', NULL, NULL, 'two
lines', NULL, NULL, NULL, NULL, 1795635623362);
INSERT INTO public.lead VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', '01a21439-35c2-77e5-b7e5-01676cf2266f', '019bb17b-d806-7737-af83-b92ecab0df7d', 'Bo', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1795635623362);
INSERT INTO public.lead VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', '01a21439-35c2-77e5-b7e5-0168e038b98f', '019bb17b-d806-7737-af83-b92ecab0df7d', 'Ann', 'ann@example.org', NULL, NULL, 'two
lines', NULL, NULL, NULL, NULL, 1795635623362);
INSERT INTO public.lead VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', '01a21439-37c5-732b-8e6f-33730b1807b3', '019bb17b-d806-7737-af83-b92ecab0df7d', 'unchanged', 'ann@example.org', NULL, NULL, 'a
b', 450.5, NULL, NULL, NULL, 1795635623877);
INSERT INTO public.lead VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', '01a21439-37c5-732b-8e6f-3374e70bb901', '019bb17b-d806-7737-af83-b92ecab0df7d', 'other', 'ann@example.org', NULL, NULL, NULL, 450.5, NULL, NULL, NULL, 1795635623877);


--
-- Data for Name: leadapi_schema; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.leadapi_schema VALUES (1, '2026-11-26 01:25:21.060696+05:45');
INSERT INTO public.leadapi_schema VALUES (2, '2026-11-26 01:25:21.060696+05:45');
INSERT INTO public.leadapi_schema VALUES (3, '2026-11-26 01:25:21.060696+05:45');
INSERT INTO public.leadapi_schema VALUES (4, '2026-11-26 01:25:21.060696+05:45');
INSERT INTO public.leadapi_schema VALUES (5, '2026-11-26 01:25:21.060696+05:45');


--
-- Data for Name: login_link; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: member; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.member VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', 'owner@harbour.example', 'owner');
INSERT INTO public.member VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', 'admin@harbour.example', 'admin');
INSERT INTO public.member VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', 'member@harbour.example', 'member');
INSERT INTO public.member VALUES ('019c672e-1800-70f7-b69d-80b43bb17e12', 'owner@bluemesa.example', 'owner');
INSERT INTO public.member VALUES ('019c672e-1800-70f7-b69d-80b43bb17e12', 'admin@bluemesa.example', 'admin');
INSERT INTO public.member VALUES ('019c672e-1800-70f7-b69d-80b43bb17e12', 'member@bluemesa.example', 'member');


--
-- Data for Name: operation; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.operation VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', '01a21439-35b5-77f8-b913-8b37c22cda8a', '01a21439-35c2-7364-8d95-0e80eaf29811', 1795635623478);
INSERT INTO public.operation VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', '01a21439-37c5-74b6-b89b-9a6fd841c359', '01a21439-38d3-703b-a91f-3357f765acc6', 1795635624170);


--
-- Data for Name: pipeline; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.pipeline VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', '019bb18a-75c0-709b-bb7b-78b1e6989752', 'New customer', 1768210200000);
INSERT INTO public.pipeline VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', '019bb18f-09a0-7acc-837b-e75179b660f7', 'Appointments', 1768210500000);
INSERT INTO public.pipeline VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', '019daaf9-f080-76f8-baeb-7948be5eba7d', 'Reactivation', 1776690000000);
INSERT INTO public.pipeline VALUES ('019c672e-1800-70f7-b69d-80b43bb17e12', '019c6749-8f40-73ef-a666-7c851e3fabe0', 'Intake', 1771259400000);


--
-- Data for Name: rate_limit; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: rate_server; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: readiness_probe; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: session; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: stage; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.stage VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', '019bb18a-75c1-794d-bbfb-0c2da394720a', '019bb18a-75c0-709b-bb7b-78b1e6989752', 'New', 1);
INSERT INTO public.stage VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', '019bb18a-75c2-7604-9566-25272539a58f', '019bb18a-75c0-709b-bb7b-78b1e6989752', 'Contacted', 2);
INSERT INTO public.stage VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', '019bb18a-75c3-7d10-8348-334c195522ed', '019bb18a-75c0-709b-bb7b-78b1e6989752', 'Qualified', 3);
INSERT INTO public.stage VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', '019bb18a-75c4-7bda-a08d-a35c53358c3f', '019bb18a-75c0-709b-bb7b-78b1e6989752', 'Proposal sent', 4);
INSERT INTO public.stage VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', '019bb18a-75c5-75fc-92ca-86be6a7339b9', '019bb18a-75c0-709b-bb7b-78b1e6989752', 'Won', 5);
INSERT INTO public.stage VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', '019bb18a-75c6-7b9e-af81-7d74213700f0', '019bb18a-75c0-709b-bb7b-78b1e6989752', 'Lost', 6);
INSERT INTO public.stage VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', '019bb18f-09a1-7e0c-97dd-8983a0da0930', '019bb18f-09a0-7acc-837b-e75179b660f7', 'Requested', 1);
INSERT INTO public.stage VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', '019bb18f-09a2-7ad4-82d9-5cd8ce412832', '019bb18f-09a0-7acc-837b-e75179b660f7', 'Confirmed', 2);
INSERT INTO public.stage VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', '019bb18f-09a3-7859-b0cb-e0a0e18fadf1', '019bb18f-09a0-7acc-837b-e75179b660f7', 'Attended', 3);
INSERT INTO public.stage VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', '019bb18f-09a4-7344-82b5-bdc857debed7', '019bb18f-09a0-7acc-837b-e75179b660f7', 'No-show', 4);
INSERT INTO public.stage VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', '019daaf9-f081-7e65-9dbc-e37965485c98', '019daaf9-f080-76f8-baeb-7948be5eba7d', 'Dormant', 1);
INSERT INTO public.stage VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', '019daaf9-f082-7399-be66-6290f70b39a5', '019daaf9-f080-76f8-baeb-7948be5eba7d', 'Re-engaged', 2);
INSERT INTO public.stage VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', '019daaf9-f083-7e6e-b900-716914bd329f', '019daaf9-f080-76f8-baeb-7948be5eba7d', 'Offer sent', 3);
INSERT INTO public.stage VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', '019daaf9-f084-7e85-9dd7-5343557ca3c3', '019daaf9-f080-76f8-baeb-7948be5eba7d', 'Returned', 4);
INSERT INTO public.stage VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', '019daaf9-f085-7c06-a49b-d473b95e0786', '019daaf9-f080-76f8-baeb-7948be5eba7d', 'Closed', 5);
INSERT INTO public.stage VALUES ('019c672e-1800-70f7-b69d-80b43bb17e12', '019c6749-8f41-7a8b-b3e1-4f997ac50d42', '019c6749-8f40-73ef-a666-7c851e3fabe0', 'New', 1);
INSERT INTO public.stage VALUES ('019c672e-1800-70f7-b69d-80b43bb17e12', '019c6749-8f42-7907-b8fe-54b814b396fe', '019c6749-8f40-73ef-a666-7c851e3fabe0', 'Call booked', 2);
INSERT INTO public.stage VALUES ('019c672e-1800-70f7-b69d-80b43bb17e12', '019c6749-8f43-7c9b-b4a4-6937122f43dd', '019c6749-8f40-73ef-a666-7c851e3fabe0', 'Signed', 3);
INSERT INTO public.stage VALUES ('019c672e-1800-70f7-b69d-80b43bb17e12', '019c6749-8f44-7456-a964-1e7257058f1d', '019c6749-8f40-73ef-a666-7c851e3fabe0', 'Lost', 4);


--
-- Data for Name: tally; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.tally VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', '', '019bb18a-75c1-794d-bbfb-0c2da394720a', -9223372036854775808, '', 1);
INSERT INTO public.tally VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', '', '019bb18a-75c2-7604-9566-25272539a58f', -9223372036854775808, '', 1);
INSERT INTO public.tally VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', '', '019bb18a-75c3-7d10-8348-334c195522ed', -9223372036854775808, '', 1);
INSERT INTO public.tally VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', '', '019bb18a-75c4-7bda-a08d-a35c53358c3f', -9223372036854775808, '', 1);
INSERT INTO public.tally VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', '', '019bb18a-75c5-75fc-92ca-86be6a7339b9', -9223372036854775808, '', 1);
INSERT INTO public.tally VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', '', '019bb18f-09a1-7e0c-97dd-8983a0da0930', -9223372036854775808, '', 1);
INSERT INTO public.tally VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', '', '019bb18f-09a2-7ad4-82d9-5cd8ce412832', -9223372036854775808, '', 1);
INSERT INTO public.tally VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', '', '019bb18f-09a3-7859-b0cb-e0a0e18fadf1', -9223372036854775808, '', 1);
INSERT INTO public.tally VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', '019bb17b-d806-7737-af83-b92ecab0df7d', '019bb18f-09a2-7ad4-82d9-5cd8ce412832', -9223372036854775808, '', 1);
INSERT INTO public.tally VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', '019bb17b-d806-7737-af83-b92ecab0df7d', '019bb18f-09a3-7859-b0cb-e0a0e18fadf1', -9223372036854775808, '', 1);
INSERT INTO public.tally VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', '019bd60e-d6ea-76db-8b8e-6e47615081e2', '', -9223372036854775808, '', 2);
INSERT INTO public.tally VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', '019bd60e-d6ea-76db-8b8e-6e47615081e2', '019bb18a-75c3-7d10-8348-334c195522ed', -9223372036854775808, '', 1);
INSERT INTO public.tally VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', '019bd60e-d6ea-76db-8b8e-6e47615081e2', '019bb18a-75c4-7bda-a08d-a35c53358c3f', -9223372036854775808, '', 1);
INSERT INTO public.tally VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', '019c2289-04ff-72e0-ab0d-54b0b197aaeb', '', -9223372036854775808, '', 2);
INSERT INTO public.tally VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', '019c2289-04ff-72e0-ab0d-54b0b197aaeb', '019bb18a-75c5-75fc-92ca-86be6a7339b9', -9223372036854775808, '', 1);
INSERT INTO public.tally VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', '019c2289-04ff-72e0-ab0d-54b0b197aaeb', '019bb18f-09a1-7e0c-97dd-8983a0da0930', -9223372036854775808, '', 1);
INSERT INTO public.tally VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', '019cac23-7590-7da5-9f56-a5d4414b8d75', '', -9223372036854775808, '', 2);
INSERT INTO public.tally VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', '019cac23-7590-7da5-9f56-a5d4414b8d75', '019bb18a-75c1-794d-bbfb-0c2da394720a', -9223372036854775808, '', 1);
INSERT INTO public.tally VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', '019cac23-7590-7da5-9f56-a5d4414b8d75', '019bb18a-75c2-7604-9566-25272539a58f', -9223372036854775808, '', 1);
INSERT INTO public.tally VALUES ('019c672e-1800-70f7-b69d-80b43bb17e12', '', '', -9223372036854775808, '', 8);
INSERT INTO public.tally VALUES ('019c672e-1800-70f7-b69d-80b43bb17e12', '', '019c6749-8f41-7a8b-b3e1-4f997ac50d42', -9223372036854775808, '', 2);
INSERT INTO public.tally VALUES ('019c672e-1800-70f7-b69d-80b43bb17e12', '', '019c6749-8f42-7907-b8fe-54b814b396fe', -9223372036854775808, '', 2);
INSERT INTO public.tally VALUES ('019c672e-1800-70f7-b69d-80b43bb17e12', '', '019c6749-8f43-7c9b-b4a4-6937122f43dd', -9223372036854775808, '', 2);
INSERT INTO public.tally VALUES ('019c672e-1800-70f7-b69d-80b43bb17e12', '', '019c6749-8f44-7456-a964-1e7257058f1d', -9223372036854775808, '', 1);
INSERT INTO public.tally VALUES ('019c672e-1800-70f7-b69d-80b43bb17e12', '019c6741-08f5-776f-9b75-cfb66003c008', '', -9223372036854775808, '', 5);
INSERT INTO public.tally VALUES ('019c672e-1800-70f7-b69d-80b43bb17e12', '019c6741-08f5-776f-9b75-cfb66003c008', '019c6749-8f41-7a8b-b3e1-4f997ac50d42', -9223372036854775808, '', 2);
INSERT INTO public.tally VALUES ('019c672e-1800-70f7-b69d-80b43bb17e12', '019c6741-08f5-776f-9b75-cfb66003c008', '019c6749-8f42-7907-b8fe-54b814b396fe', -9223372036854775808, '', 1);
INSERT INTO public.tally VALUES ('019c672e-1800-70f7-b69d-80b43bb17e12', '019c6741-08f5-776f-9b75-cfb66003c008', '019c6749-8f43-7c9b-b4a4-6937122f43dd', -9223372036854775808, '', 1);
INSERT INTO public.tally VALUES ('019c672e-1800-70f7-b69d-80b43bb17e12', '019c6741-08f5-776f-9b75-cfb66003c008', '019c6749-8f44-7456-a964-1e7257058f1d', -9223372036854775808, '', 1);
INSERT INTO public.tally VALUES ('019c672e-1800-70f7-b69d-80b43bb17e12', '019c95f7-2c4f-71e0-a24f-d91dfd948351', '', -9223372036854775808, '', 3);
INSERT INTO public.tally VALUES ('019c672e-1800-70f7-b69d-80b43bb17e12', '019c95f7-2c4f-71e0-a24f-d91dfd948351', '019c6749-8f42-7907-b8fe-54b814b396fe', -9223372036854775808, '', 1);
INSERT INTO public.tally VALUES ('019c672e-1800-70f7-b69d-80b43bb17e12', '019c95f7-2c4f-71e0-a24f-d91dfd948351', '019c6749-8f43-7c9b-b4a4-6937122f43dd', -9223372036854775808, '', 1);
INSERT INTO public.tally VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', '', '', -9223372036854775808, '', 13);
INSERT INTO public.tally VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', '019bb17b-d806-7737-af83-b92ecab0df7d', '', -9223372036854775808, '', 7);


--
-- Data for Name: token; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.token VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', '01a21439-2db7-7213-9d68-b5aaec0d0bc5', 'A read+write', 'read write', 'pak_E05T', '\x70fe1bd1e55536ef5e041b5dbd64a9b1c2ef33f57c83ca1e806d190fecd0bf0b', 1795635621303, NULL, NULL, NULL, NULL);
INSERT INTO public.token VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', '01a21439-2db7-7213-9d68-b5ab8706d00f', 'A read only', 'read', 'pak_7tT7', '\x7ebe548019dd222f2173952cd1f76846cf8be45584c44da8d5e243d6064c173c', 1795635621303, NULL, NULL, NULL, NULL);
INSERT INTO public.token VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', '01a21439-2db7-7213-9d68-b5acd1196c78', 'A write only (form intake)', 'write', 'pak_OhGB', '\x1af32b0066e90f415ca16d38b13a2168bb18e00375221aa7b79d03ede8d75524', 1795635621303, NULL, NULL, NULL, NULL);
INSERT INTO public.token VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', '01a21439-2db7-7213-9d68-b5adecc71625', 'A expires in the future', 'read write', 'pak_poSs', '\xf315d13ae4a6d2ae863a7e258723080fa5081d3aca8557d198d827d4cdc59506', 1795635621303, 4070908800000, NULL, NULL, NULL);
INSERT INTO public.token VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', '01a21439-2db7-7213-9d68-b5aea1e66ec4', 'A expired', 'read write', 'pak_Y1EY', '\x2703a3531ffb74989e01f346f537c4822c3552fa94d47422ed0d944e4ad44bf7', 1795635621303, 1780272000000, NULL, NULL, NULL);
INSERT INTO public.token VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', '01a21439-2db7-7213-9d68-b5af4a5b0fe4', 'A revoked', 'read write', 'pak_kgwn', '\x83878b2515eddaba5aa44379bd698cab592f52e2005d8ae1ca383cc018cee256', 1795635621303, NULL, 1780272000000, NULL, NULL);
INSERT INTO public.token VALUES ('019c672e-1800-70f7-b69d-80b43bb17e12', '01a21439-2db7-7213-9d68-b5b01f3860ef', 'B read+write', 'read write', 'pak_7xyN', '\xd4d6eb08193102a3678a8ee442c44b747139feeb6711c7df4cc0a3753eda3e87', 1795635621303, NULL, NULL, NULL, NULL);
INSERT INTO public.token VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', '01a21439-2f55-76f0-8174-4b20f18c740d', 'valid', 'read write', 'pak_i0Cg', '\x465fa9d52a89a87bbc2280e1cb979738b3d4c7d328df6558bcd8008993daed81', 1795635621717, NULL, NULL, 'owner@harbour.example', NULL);
INSERT INTO public.token VALUES ('019bb16e-fe80-71bd-97d4-34affe250f1f', '01a21439-3195-7793-b6d6-ad030a78cf99', 'revoked', 'read write', 'pak_c1cX', '\x11aa504da08b473b0acde20cd893ba0453315ffc8f77f87727d506977593d591', 1795635622293, NULL, 1795635622850, 'owner@harbour.example', NULL);


--
-- Name: audit audit_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.audit
    ADD CONSTRAINT audit_pkey PRIMARY KEY (business_id, at, id);


--
-- Name: business business_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.business
    ADD CONSTRAINT business_pkey PRIMARY KEY (business_id);


--
-- Name: client client_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.client
    ADD CONSTRAINT client_pkey PRIMARY KEY (business_id, id);


--
-- Name: form form_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.form
    ADD CONSTRAINT form_pkey PRIMARY KEY (business_id, id);


--
-- Name: idempotency_0 idempotency_0_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.idempotency_0
    ADD CONSTRAINT idempotency_0_pkey PRIMARY KEY (business_id, key);


--
-- Name: idempotency_1 idempotency_1_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.idempotency_1
    ADD CONSTRAINT idempotency_1_pkey PRIMARY KEY (business_id, key);


--
-- Name: idempotency_2 idempotency_2_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.idempotency_2
    ADD CONSTRAINT idempotency_2_pkey PRIMARY KEY (business_id, key);


--
-- Name: idempotency_3 idempotency_3_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.idempotency_3
    ADD CONSTRAINT idempotency_3_pkey PRIMARY KEY (business_id, key);


--
-- Name: lead lead_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.lead
    ADD CONSTRAINT lead_pkey PRIMARY KEY (business_id, id);


--
-- Name: leadapi_schema leadapi_schema_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.leadapi_schema
    ADD CONSTRAINT leadapi_schema_pkey PRIMARY KEY (version);


--
-- Name: login_link login_link_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.login_link
    ADD CONSTRAINT login_link_pkey PRIMARY KEY (hash);


--
-- Name: member member_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.member
    ADD CONSTRAINT member_pkey PRIMARY KEY (business_id, email);


--
-- Name: operation operation_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.operation
    ADD CONSTRAINT operation_pkey PRIMARY KEY (business_id, server_id);


--
-- Name: pipeline pipeline_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.pipeline
    ADD CONSTRAINT pipeline_pkey PRIMARY KEY (business_id, id);


--
-- Name: rate_limit rate_limit_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rate_limit
    ADD CONSTRAINT rate_limit_pkey PRIMARY KEY (token_id, class);


--
-- Name: rate_server rate_server_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rate_server
    ADD CONSTRAINT rate_server_pkey PRIMARY KEY (server_id);


--
-- Name: session session_hash_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.session
    ADD CONSTRAINT session_hash_key UNIQUE (hash);


--
-- Name: session session_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.session
    ADD CONSTRAINT session_pkey PRIMARY KEY (business_id, id);


--
-- Name: stage stage_business_id_pipeline_id_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.stage
    ADD CONSTRAINT stage_business_id_pipeline_id_id_key UNIQUE (business_id, pipeline_id, id);


--
-- Name: stage stage_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.stage
    ADD CONSTRAINT stage_pkey PRIMARY KEY (business_id, id);


--
-- Name: tally tally_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.tally
    ADD CONSTRAINT tally_pkey PRIMARY KEY (business_id, client_id, stage_id, from_at, from_id);


--
-- Name: token token_hash_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.token
    ADD CONSTRAINT token_hash_key UNIQUE (hash);


--
-- Name: token token_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.token
    ADD CONSTRAINT token_id_key UNIQUE (id);


--
-- Name: token token_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.token
    ADD CONSTRAINT token_pkey PRIMARY KEY (business_id, id);


--
-- Name: client_by_name; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX client_by_name ON public.client USING btree (business_id, name, id);


--
-- Name: idempotency_by_age; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idempotency_by_age ON ONLY public.idempotency USING btree (created_at);


--
-- Name: idempotency_0_created_at_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idempotency_0_created_at_idx ON public.idempotency_0 USING btree (created_at);


--
-- Name: idempotency_1_created_at_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idempotency_1_created_at_idx ON public.idempotency_1 USING btree (created_at);


--
-- Name: idempotency_2_created_at_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idempotency_2_created_at_idx ON public.idempotency_2 USING btree (created_at);


--
-- Name: idempotency_3_created_at_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idempotency_3_created_at_idx ON public.idempotency_3 USING btree (created_at);


--
-- Name: lead_by_age; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX lead_by_age ON public.lead USING btree (business_id, created_at, id);


--
-- Name: lead_by_both; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX lead_by_both ON public.lead USING btree (business_id, client_id, stage_id, created_at, id) WHERE (stage_id IS NOT NULL);


--
-- Name: lead_by_client; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX lead_by_client ON public.lead USING btree (business_id, client_id, created_at, id);


--
-- Name: lead_by_stage; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX lead_by_stage ON public.lead USING btree (business_id, stage_id, created_at, id) WHERE (stage_id IS NOT NULL);


--
-- Name: pipeline_by_age; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX pipeline_by_age ON public.pipeline USING btree (business_id, created_at, id);


--
-- Name: rate_limit_wanted; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rate_limit_wanted ON public.rate_limit USING btree (wanted_until);


--
-- Name: stage_by_position; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX stage_by_position ON public.stage USING btree (business_id, pipeline_id, "position");


--
-- Name: tally_by_stretch; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX tally_by_stretch ON public.tally USING btree (business_id, from_at, from_id);


--
-- Name: idempotency_0_created_at_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.idempotency_by_age ATTACH PARTITION public.idempotency_0_created_at_idx;


--
-- Name: idempotency_1_created_at_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.idempotency_by_age ATTACH PARTITION public.idempotency_1_created_at_idx;


--
-- Name: idempotency_2_created_at_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.idempotency_by_age ATTACH PARTITION public.idempotency_2_created_at_idx;


--
-- Name: idempotency_3_created_at_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.idempotency_by_age ATTACH PARTITION public.idempotency_3_created_at_idx;


--
-- Name: audit audit_business_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.audit
    ADD CONSTRAINT audit_business_id_fkey FOREIGN KEY (business_id) REFERENCES public.business(business_id);


--
-- Name: client client_business_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.client
    ADD CONSTRAINT client_business_id_fkey FOREIGN KEY (business_id) REFERENCES public.business(business_id);


--
-- Name: form form_business_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.form
    ADD CONSTRAINT form_business_id_fkey FOREIGN KEY (business_id) REFERENCES public.business(business_id);


--
-- Name: idempotency idempotency_business_id_fkey1; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE public.idempotency
    ADD CONSTRAINT idempotency_business_id_fkey1 FOREIGN KEY (business_id) REFERENCES public.business(business_id);


--
-- Name: lead lead_business_id_client_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.lead
    ADD CONSTRAINT lead_business_id_client_id_fkey FOREIGN KEY (business_id, client_id) REFERENCES public.client(business_id, id);


--
-- Name: lead lead_business_id_pipeline_id_stage_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.lead
    ADD CONSTRAINT lead_business_id_pipeline_id_stage_id_fkey FOREIGN KEY (business_id, pipeline_id, stage_id) REFERENCES public.stage(business_id, pipeline_id, id);


--
-- Name: member member_business_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.member
    ADD CONSTRAINT member_business_id_fkey FOREIGN KEY (business_id) REFERENCES public.business(business_id);


--
-- Name: operation operation_business_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.operation
    ADD CONSTRAINT operation_business_id_fkey FOREIGN KEY (business_id) REFERENCES public.business(business_id);


--
-- Name: pipeline pipeline_business_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.pipeline
    ADD CONSTRAINT pipeline_business_id_fkey FOREIGN KEY (business_id) REFERENCES public.business(business_id);


--
-- Name: stage stage_business_id_pipeline_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.stage
    ADD CONSTRAINT stage_business_id_pipeline_id_fkey FOREIGN KEY (business_id, pipeline_id) REFERENCES public.pipeline(business_id, id);


--
-- Name: tally tally_business_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.tally
    ADD CONSTRAINT tally_business_id_fkey FOREIGN KEY (business_id) REFERENCES public.business(business_id);


--
-- PostgreSQL database dump complete
--


