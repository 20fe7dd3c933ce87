# The second page of 20 leads.
curl -sS --fail-with-body "$LEADAPI_URL/leads?limit=20&offset=20" \
  -H "Authorization: Bearer $LEADAPI_TOKEN"
