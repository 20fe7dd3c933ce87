# After a 429, curl waits as long as Retry-After requires.
curl -sS --fail-with-body --retry 3 "$LEADAPI_URL/leads?limit=1" \
  -H "Authorization: Bearer $LEADAPI_TOKEN"
