// Calls all seven operations with openapi-fetch and the types that openapi-typescript generates.
//
// typescript.py compiles and runs this file with LEADAPI_URL and LEADAPI_TOKEN.
import assert from "node:assert/strict";
import createClient from "openapi-fetch";
import type { components, paths } from "./openapi.js";

const baseUrl = process.env.LEADAPI_URL;
const client = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${process.env.LEADAPI_TOKEN}` } });

const { data: accounts } = await client.GET("/clients", { params: { query: { limit: 2 } } });
assert(accounts);
assert.deepEqual([accounts.data.length, accounts.total, accounts.limit, accounts.offset], [2, 4, 2, 0]);
const { data: pipelines } = await client.GET("/pipelines");
assert(pipelines);
const [pipeline] = pipelines.data;
assert.deepEqual(pipeline.stages.map((stage) => stage.position), pipeline.stages.map((_, at) => at + 1));

const body: components["schemas"]["NewLead"] = {
  client_id: accounts.data[0].id, name: " Ada Lovelace ", phone: "+44 20 0000 0001", value: 450.5, stage_id: pipeline.stages[1].id,
};
const create = () => client.POST("/leads", { body, params: { header: { "Idempotency-Key": "typescript-1" } } });
const created = await create();
assert.equal(created.response.status, 201);
const lead = created.data;
assert(lead);
assert.deepEqual([lead.name, lead.value, lead.email, lead.pipeline_id], ["Ada Lovelace", 450.5, null, pipeline.id]);
assert(Math.abs(Date.now() - Date.parse(lead.created_at)) < 60_000, lead.created_at);
assert(created.response.headers.get("location")?.endsWith(`/leads/${lead.id}`));
const again = await create();
assert.deepEqual(again.data, lead);
assert.equal(again.response.headers.get("idempotency-replayed"), "true");

const one = { params: { path: { id: lead.id } } };
assert.deepEqual((await client.GET("/leads/{id}", one)).data, lead);
const query = { client_id: lead.client_id, stage_id: lead.stage_id ?? undefined };
const { data: listed } = await client.GET("/leads", { params: { query } });
assert.equal(listed?.data.filter((item) => item.id === lead.id).length, 1);
assert.equal(listed?.total, listed?.data.length);
const { data: changed } = await client.PATCH("/leads/{id}", { ...one, body: { phone: null, notes: "Wants a call." } });
assert.deepEqual(changed, { ...lead, phone: null, notes: "Wants a call." });

const gone = await client.DELETE("/leads/{id}", one);
assert.equal(gone.response.status, 204);
const missing = await client.GET("/leads/{id}", one);
assert.equal(missing.response.status, 404);
assert.deepEqual(missing.error, { error: "id: no such lead" });
const refused = await client.GET("/leads", { params: { query: { limit: 201 } } });
assert.equal(refused.response.status, 400);
assert.equal(refused.error?.error, "limit must be an integer from 1 to 200");
const stranger = await client.GET("/clients", { headers: { Authorization: "Bearer pak_x" } });
assert.equal(stranger.response.status, 401);
assert.equal(stranger.error?.error, "Authorization: invalid token");

// The compiler must reject each of these calls. It reports an unused `@ts-expect-error`.
export const rejected = () => [
  // @ts-expect-error The name is required.
  client.POST("/leads", { body: { client_id: "casa-verde" } }),
  // @ts-expect-error No operation has this path.
  client.GET("/contacts"),
  // @ts-expect-error The value is a number.
  client.PATCH("/leads/{id}", { ...one, body: { value: "450" } }),
  // @ts-expect-error A list takes no other parameter.
  client.GET("/clients", { params: { query: { page: 1 } } }),
];
