# Prints the body, then the status.
curl -sS -w '\n%{http_code}\n' "$LEADAPI_URL/leads/unknown" \
  -H "Authorization: Bearer $LEADAPI_TOKEN"
