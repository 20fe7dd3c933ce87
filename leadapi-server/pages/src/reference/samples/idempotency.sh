# The key makes it safe to retry after any failure.
curl -sS --fail-with-body --retry 3 --retry-all-errors "$LEADAPI_URL/leads" \
  -H "Authorization: Bearer $LEADAPI_TOKEN" \
  -H "Content-Type: application/json" \
  -H "Idempotency-Key: signup-4711" \
  -d '{"client_id": "019bb17b-d806-7737-af83-b92ecab0df7d", "name": "Ada Lovelace"}'
