import { LOWER_ABOVE, MAX_PRIORITY, STEP } from '../fair-order.ts';

/*
 * See `../fair-order.ts`. The set FAIR has the finish of each host as its score, and the virtual time as the score of ''. What waits
 * is in the set PRIORITIZED, whose score is BullMQ's: the priority times 2^32, and a counter.
 */

/** The key of the set FAIR, as BullMQ names the keys of a queue. */
export const FAIR_ORDER_KEY = 'fair-order';

/** Defines `placeNext(host, share)`, which returns a priority; `call`, `prefix`, WAIT, ACTIVE, PRIORITIZED and FAIR must be defined. */
export const PLACING = `
local function lower(by)
  local function lowerJob(id)
    local priority = tonumber(call('HGET', prefix .. id, 'priority') or 0)
    if priority < 1 then return 0 end
    local lowered = math.max(priority - by, 1)
    call('HSET', prefix .. id, 'priority', lowered)
    return lowered - priority
  end
  for _, id in ipairs(call('ZRANGE', PRIORITIZED, 0, -1)) do
    call('ZINCRBY', PRIORITIZED, lowerJob(id) * 0x100000000, id)
  end
  -- They may be given back, or have stalled.
  for _, list in ipairs({ ACTIVE, WAIT }) do
    for _, id in ipairs(call('LRANGE', list, 0, -1)) do lowerJob(id) end
  end
  for _, host in ipairs(call('ZRANGE', FAIR, 0, -1)) do call('ZINCRBY', FAIR, -by, host) end
end
local virtualTime
local function readVirtualTime()
  local first = call('ZRANGE', PRIORITIZED, 0, 0, 'WITHSCORES')[2]
  local next = first and math.floor(first / 0x100000000) or call('ZRANGE', FAIR, -1, -1, 'WITHSCORES')[2] or 1
  virtualTime = math.max(tonumber(call('ZSCORE', FAIR, '') or 1), next - ${STEP})
  if virtualTime > ${LOWER_ABOVE} then
    local by = math.floor(virtualTime) - 1
    lower(by)
    virtualTime = virtualTime - by
  end
  call('ZREMRANGEBYSCORE', FAIR, '-inf', virtualTime)
  call('ZADD', FAIR, virtualTime, '')
end
local function placeNext(host, share)
  if not virtualTime then readVirtualTime() end
  local start = tonumber(call('ZSCORE', FAIR, host) or virtualTime)
  call('ZADD', FAIR, start + ${STEP} / share, host)
  return math.min(math.floor(start), ${MAX_PRIORITY})
end`;

/**
 * Lists the jobs that wait, as the start of what `store.ts` calls a backlog. KEYS: wait, prioritized, active, fair order; ARGV: key prefix.
 * Returns when the oldest was added that waits without a priority (or false), the numbers of jobs without one and of active
 * jobs; then of each host: name, number of jobs, when the oldest was added, how many jobs go before its next one.
 */
export const READ_BACKLOG = `
local call, prefix = redis.call, ARGV[1]
local WAIT, PRIORITIZED, ACTIVE, FAIR = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local oldest = call('LINDEX', WAIT, -1)
local backlog = { oldest and call('HGET', prefix .. oldest, 'timestamp'), call('LLEN', WAIT), call('LLEN', ACTIVE) }
local counts, hosts = {}, {}
for _, id in ipairs(call('ZRANGE', PRIORITIZED, 0, -1)) do
  local host = call('HGET', prefix .. id, 'host') or ''
  if not counts[host] then
    counts[host] = 0
    hosts[#hosts + 1] = { host, call('HGET', prefix .. id, 'timestamp') }
  end
  counts[host] = counts[host] + 1
end
for _, host in ipairs(hosts) do
  local next = math.floor(tonumber(call('ZSCORE', FAIR, host[1]) or 0))
  local before = call('ZCOUNT', PRIORITIZED, '-inf', '(' .. string.format('%.0f', (next + 1) * 0x100000000))
  backlog[#backlog + 1] = { host[1], counts[host[1]], host[2], before }
end
return backlog`;
