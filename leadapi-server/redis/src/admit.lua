-- Admits a request, or refuses it. Returns 0 if the request is admitted, otherwise the time in microseconds until a
-- retry can be admitted.
-- KEYS[1]: the times of the admissions for a token and class in microseconds, oldest first. ARGV[1]: the limit.
-- ARGV[2]: the length of the window in microseconds.
local key, limit, window = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2])
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
-- After a backward step of the clock, the newest admission is later than the clock. Using its time keeps the list in
-- order.
local newest = redis.call('LINDEX', key, -1)
if newest then
  now = math.max(now, newest)
end
-- The oldest of the last `limit` admissions, if there are that many. The request is admitted if that admission has left
-- the window.
local nth = redis.call('LINDEX', key, -limit)
if nth then
  local wait = nth + window - now
  if wait > 0 then
    return wait
  end
  -- The oldest admission has also left the window, so the list never becomes longer than the highest limit.
  redis.call('LPOP', key)
end
redis.call('RPUSH', key, string.format('%.0f', now))
-- The key must not expire before the admission has left the window, so it lives a second longer.
redis.call('PEXPIRE', key, window / 1000 + 1000)
return 0
