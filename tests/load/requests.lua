-- Sends the requests in a file in order, repeatedly. Several instances start in different parts of the file. Prints the
-- number of requests, the elapsed time, and the number of failures.

local requests, next_request = {}, 0

-- Extracts a string field. Parses just enough JSON for the lines that this test writes itself.
local function field(line, name)
  local value = line:match('"' .. name .. '": "(.-[^\\])"')
  return value and value:gsub('\\"', '"')
end

function init(arguments)
  local base = wrk.path
  for line in io.lines(arguments[1]) do
    local headers = { Authorization = "Bearer " .. field(line, "token") }
    requests[#requests + 1] = wrk.format(field(line, "method"), base .. field(line, "path"), headers, field(line, "body"))
  end
  next_request = math.floor(#requests * arguments[2] / arguments[3])
end

function request()
  next_request = next_request % #requests + 1
  return requests[next_request]
end

function done(summary, latency, _)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  io.write(string.format("%d %d %d\n", summary.requests, summary.duration, failed))
end
