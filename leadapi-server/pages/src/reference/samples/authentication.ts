import createClient from "openapi-fetch";
// npx openapi-typescript openapi.json --output openapi.ts
import type { paths } from "./openapi.js";

const client = createClient<paths>({
  baseUrl: process.env.LEADAPI_URL,
  headers: { Authorization: `Bearer ${process.env.LEADAPI_TOKEN}` },
});

const { data, error } = await client.GET("/clients");
if (error) throw new Error(error.error);
for (const account of data.data) console.log(account.id, account.name);
