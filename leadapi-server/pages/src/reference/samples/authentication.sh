curl -sS --fail-with-body "$LEADAPI_URL/clients" \
  -H "Authorization: Bearer $LEADAPI_TOKEN"
