import createClient from "openapi-fetch";
// npx openapi-typescript openapi.json --output openapi.ts
import type { paths } from "./openapi.js";

const client = createClient<paths>({
  baseUrl: process.env.LEADAPI_URL,
  headers: { Authorization: `Bearer ${process.env.LEADAPI_TOKEN}` },
});

const create = () => client.POST("/leads", {
  body: { client_id: "019bb17b-d806-7737-af83-b92ecab0df7d", name: "Ada Lovelace" },
  params: { header: { "Idempotency-Key": "signup-4711" } },
});
// If the response was lost, the second request creates no second lead.
const { data, error } = await create().catch(create);
if (error) throw new Error(error.error);
console.log(data.id);
