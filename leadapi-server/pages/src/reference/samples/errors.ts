import createClient from "openapi-fetch";
// npx openapi-typescript openapi.json --output openapi.ts
import type { paths } from "./openapi.js";

const client = createClient<paths>({
  baseUrl: process.env.LEADAPI_URL,
  headers: { Authorization: `Bearer ${process.env.LEADAPI_TOKEN}` },
});

const { data, error, response } = await client.GET("/leads/{id}", { params: { path: { id: "unknown" } } });
if (data) console.log(data.name);
else if (response.status === 404) console.log(error.error); // id: no such lead
else throw new Error(`${response.status}: ${error.error}`);
