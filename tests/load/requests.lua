-- Sends the requests in a file in order, repeatedly. Several instances start in different parts of the file. Prints the
-- number of requests, the elapsed time, and the number of failures.

local requests, next_request = {}, 0
-- Idempotency keys are unique across runs.
local run, keys = tostring({}):match("0x%x+") .. "-" .. os.time(), 0

-- Extracts a string field. Parses just enough JSON for the lines that this test writes itself.
local function field(line, name)
  local value = line:match('"' .. name .. '": "(.-[^\\])"')
  return value and value:gsub('\\"', '"')
end

function init(arguments)
  local base = wrk.path:gsub("/$", "")
  for line in io.lines(arguments[1]) do
    local body = field(line, "body")
    local headers = { Authorization = "Bearer " .. field(line, "token"), ["Content-Type"] = body and "application/json" }
    local request = { field(line, "method"), base .. field(line, "path"), headers, body }
    requests[#requests + 1] = field(line, "key") and request or wrk.format(unpack(request))
  end
  next_request = math.floor(#requests * arguments[2] / arguments[3])
end

function request()
  next_request = next_request % #requests + 1
  local request = requests[next_request]
  if type(request) == "string" then
    return request
  end
  keys = keys + 1
  request[3]["Idempotency-Key"] = string.format("%s-%d", run, keys)
  return wrk.format(unpack(request))
end

function done(summary, latency, _)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  io.write(string.format("%d %d %d\n", summary.requests, summary.duration, failed))
end
