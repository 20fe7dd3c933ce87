CREATE TABLE IF NOT EXISTS businesses (id text PRIMARY KEY, name text NOT NULL);

CREATE TABLE IF NOT EXISTS tokens (hash bytea PRIMARY KEY, business_id text NOT NULL REFERENCES businesses);

CREATE TABLE IF NOT EXISTS clients (
    id text PRIMARY KEY,
    business_id text NOT NULL REFERENCES businesses,
    name text NOT NULL
);

CREATE TABLE IF NOT EXISTS stages (
    id text PRIMARY KEY,
    business_id text NOT NULL REFERENCES businesses,
    pipeline_id text NOT NULL,
    name text NOT NULL
);

CREATE TABLE IF NOT EXISTS leads (
    id uuid PRIMARY KEY,
    business_id text NOT NULL REFERENCES businesses,
    client_id text NOT NULL REFERENCES clients,
    name text NOT NULL,
    email text,
    phone text,
    source text,
    notes text,
    value double precision,
    pipeline_id text,
    stage_id text REFERENCES stages,
    created_at timestamptz NOT NULL
);

CREATE INDEX IF NOT EXISTS leads_by_age ON leads (business_id, created_at DESC, id DESC);
CREATE INDEX IF NOT EXISTS leads_by_client ON leads (client_id, created_at DESC, id DESC);
CREATE INDEX IF NOT EXISTS leads_by_stage ON leads (stage_id, created_at DESC, id DESC);

CREATE TABLE IF NOT EXISTS idempotency_keys (
    business_id text NOT NULL REFERENCES businesses,
    key text NOT NULL,
    lead_id uuid NOT NULL REFERENCES leads,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (business_id, key)
);
