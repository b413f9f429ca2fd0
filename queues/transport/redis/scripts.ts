import { MIN_TAKE } from '../queue-calls.ts';
import { KEYED_CHANNEL } from '../store.ts';
import { PLACING } from './fair-order.ts';

/*
 * The three steps of every job, each for many jobs at once. They leave the keys that BullMQ's own scripts leave, so that
 * stall checks, retries, retention and the queue board need not know of them; a test compares the two step by step. The
 * differences:
 *
 * - no events are written: the requesting process is notified by PUBLISH, and nobody reads the rest;
 * - the marker, which wakes an idle worker, is set only if jobs wait: with BullMQ's, each job is followed by an empty take;
 * - the long body of a job without Idempotency-Key is dropped when it is answered;
 * - a job in fair order has its host and share in fields of its own, and the counter of the priorities is removed
 *   when the last job with one is taken, not at the next take; if it stalls it is put back to its place;
 * - a job that is added alone, while nothing waits but a worker, is taken by ADD for that worker, which saves it a call. The
 *   take or finish that left nothing says so in READY, with a lock for one job, and the job goes into the marker: the worker
 *   that reads it has it, by the lock that it brings. A take looks there, too, where that worker has died or was woken
 *   otherwise; what nobody reads is left to the stall check.
 *
 * A queue with delays, a rate limit or a global concurrency limit is left to BullMQ's scripts.
 */

export const keyNames = [
  'wait',
  'active',
  'marker',
  'meta',
  'completed',
  'stalled',
  'delayed',
  'prioritized',
  'id',
  'pc',
] as const;

/** Waiting jobs are read in pages of this size when some are passed over. */
const PAGE = 50;
/** Longer data of a job are not written twice. */
const MAX_HANDED = 16_384;
/** Longer than the five seconds that BullMQ waits for a job, after which a worker takes again. */
const READY_MS = 6_000;

const START = `
local call, prefix = redis.call, ARGV[1]
local WAIT, ACTIVE, MARKER, META, COMPLETED = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local STALLED, DELAYED, PRIORITIZED, ID, COUNTER = KEYS[6], KEYS[7], KEYS[8], KEYS[9], KEYS[10]
local FAIR, READY = KEYS[11], KEYS[12]`;

/**
 * ARGV: key prefix, options, now, lock milliseconds, then of each job: id, name, data, timestamp, host and share (both empty: no
 * fair order).
 */
export const ADD = `${START}${PLACING}
local added = 0
call('INCRBY', ID, (#ARGV - 4) / 6)
local queueState = call('HMGET', META, 'paused', 'concurrency', 'max')
local readyLock = #ARGV == 10 and #ARGV[7] < ${MAX_HANDED} and not (queueState[1] or queueState[2] or queueState[3])
  and call('EXISTS', WAIT, PRIORITIZED, DELAYED) == 0
local function add(id, name, data, timestamp, host, share)
  local key = prefix .. id
  if call('EXISTS', key) == 1 then return end
  readyLock = readyLock and call('GETDEL', READY)
  local priority = 0
  if host ~= '' then
    priority = placeNext(host, share)
    call('HSET', key, 'host', host, 'share', share)
  end
  call('HSET', key, 'name', name, 'data', data, 'opts', ARGV[2], 'timestamp', timestamp, 'delay', 0,
    'priority', priority)
  if readyLock then
    call('LPUSH', ACTIVE, id)
    call('SET', key .. ':lock', readyLock, 'PX', ARGV[4])
    call('HSET', key, 'processedOn', ARGV[3])
    call('HINCRBY', key, 'ats', 1)
    call('ZADD', MARKER, ARGV[3], cjson.encode({ id, call('HGETALL', key), readyLock }))
    return
  end
  if host == '' then
    call('LPUSH', WAIT, id)
  else
    call('ZADD', PRIORITIZED, priority * 0x100000000 + call('INCR', COUNTER) % 0x100000000, id)
  end
  added = added + 1
end
for i = 5, #ARGV, 6 do add(ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3], ARGV[i + 4], ARGV[i + 5]) end
local isFull = queueState[2] and call('LLEN', ACTIVE) >= tonumber(queueState[2])
if added > 0 and not queueState[1] and not isFull then call('ZADD', MARKER, 0, '0') end
return added`;

/**
 * Gives a finished job that will run again these data, and a new priority in the fair order. ARGV: key prefix, id, data, host and share
 * (both empty: no fair order).
 */
export const REPLACE_FINISHED = `${START}${PLACING}
local key = prefix .. ARGV[2]
if call('HEXISTS', key, 'finishedOn') == 0 then return end
call('HSET', key, 'data', ARGV[3])
if ARGV[4] ~= '' then call('HSET', key, 'priority', placeNext(ARGV[4], ARGV[5])) end`;

/**
 * The lock of a job is the lock of the take and the number of the job. Returns how many jobs still wait, or -1 if BullMQ must take them;
 * and of each taken job id and fields. Jobs of hosts at their limit (\`HostLimits\`) are passed over, and keep their places.
 */
const TAKING = `
local now, lockMs, lock, wanted, hostLimitsJson = ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[5]), ARGV[6]
local spare = tonumber(ARGV[7])
local passed, page, at, hostLimits = 0, {}, 0, hostLimitsJson ~= '' and cjson.decode(hostLimitsJson)
local function nextWithinLimits()
  while true do
    if at == #page then
      page, at = call('ZRANGE', PRIORITIZED, passed, passed + ${PAGE - 1}), 0
      if #page == 0 then return nil end
    end
    at = at + 1
    local host = call('HGET', prefix .. page[at], 'host') or ''
    local left = host == '' and 1 or hostLimits.byHost[host] or hostLimits.others
    if left > 0 then
      hostLimits.byHost[host] = left - 1
      return page[at]
    end
    passed = passed + 1
  end
end
-- Returns the jobs that stalled; BullMQ puts them before all others, whatever their hosts hold.
local function returnToFairOrder()
  for _, id in ipairs(call('LRANGE', WAIT, -${PAGE}, -1)) do
    if call('HEXISTS', prefix .. id, 'host') == 1 then
      call('LREM', WAIT, -1, id)
      call('ZADD', PRIORITIZED, call('HGET', prefix .. id, 'priority') * 0x100000000, id)
    end
  end
end
local function take()
  local queueState = call('HMGET', META, 'paused', 'concurrency', 'max')
  if queueState[2] or queueState[3] or call('EXISTS', DELAYED) > 0 then return -1, {} end
  if queueState[1] then return 0, {} end
  if hostLimits then returnToFairOrder() end
  local jobs, prioritized = {}, call('ZCARD', PRIORITIZED)
  local waiting = call('LLEN', WAIT) + prioritized
  local function takeOne()
    local id = call('RPOPLPUSH', WAIT, ACTIVE)
    if id then return id end
    if hostLimits then id = nextWithinLimits() else id = call('ZRANGE', PRIORITIZED, 0, 0)[1] end
    if not id then return nil end
    call('ZREM', PRIORITIZED, id)
    call('LPUSH', ACTIVE, id)
    return id
  end
  local handed = wanted > 0 and call('ZRANGE', MARKER, -1, -1)[1] or ''
  if #handed > 1 then
    call('ZREM', MARKER, handed)
    local id, fields, oldLock = unpack(cjson.decode(handed))
    if call('GET', prefix .. id .. ':lock') == oldLock then
      call('SET', prefix .. id .. ':lock', lock .. ':1', 'PX', lockMs)
      jobs[1], waiting = { id, fields }, waiting + 1
    end
  end
  local maxTaken = math.max(${MIN_TAKE}, math.ceil(waiting / 2))
  for i = #jobs + 1, math.min(wanted, waiting, maxTaken) do
    local id = takeOne()
    if not id then break end
    local key = prefix .. id
    call('SET', key .. ':lock', lock .. ':' .. i, 'PX', lockMs)
    call('HSET', key, 'processedOn', now)
    call('HINCRBY', key, 'ats', 1)
    jobs[i] = { id, call('HGETALL', key) }
  end
  waiting = waiting - #jobs
  if prioritized > 0 and waiting == 0 then call('DEL', COUNTER) end
  if waiting > 0 then call('ZADD', MARKER, 0, '0') end
  if waiting == 0 and spare > #jobs then call('SET', READY, lock .. ':0', 'PX', ${READY_MS}) else call('DEL', READY) end
  return waiting, jobs
end`;

/** ARGV: key prefix, now, lock milliseconds, lock, number of jobs, limits of hosts as JSON (may be empty), number of slots that ADD may fill. */
export const TAKE = `${START}${TAKING}
return { take() }`;

/**
 * Completes jobs, notifies the requesting processes, removes old jobs, and takes others. Returns of each job 1 if it was completed, or 0 and changes nothing of it.
 * ARGV: as TAKE has them for the next jobs, retention in milliseconds, channel prefix, then of each job: id, lock, reply, `replyTo`, data that replaces its own (may be empty).
 */
export const FINISH = `${START}${TAKING}
local function complete(id, lock, reply, requester, data)
  local key = prefix .. id
  if call('EXISTS', key) == 0 or call('GET', key .. ':lock') ~= lock then return 0 end
  if call('LREM', ACTIVE, -1, id) < 1 then return 0 end
  call('DEL', key .. ':lock')
  call('SREM', STALLED, id)
  call('HINCRBY', key, 'atm', 1)
  call('ZADD', COMPLETED, now, id)
  call('HSET', key, 'returnvalue', reply, 'finishedOn', now)
  if data ~= '' then call('HSET', key, 'data', data) end
  redis.pcall('PUBLISH', ARGV[9] .. requester, requester == '${KEYED_CHANNEL}' and id or id .. reply)
  return 1
end
local ended, completed = {}, 0
for i = 10, #ARGV, 5 do
  local isCompleted = complete(ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3], ARGV[i + 4])
  ended[#ended + 1] = isCompleted
  completed = completed + isCompleted
end
if completed == 0 then return { ended, 0, {} } end
local old = call('ZRANGE', COMPLETED, '-inf', now - ARGV[8], 'BYSCORE', 'LIMIT', 0, 1000)
for _, id in ipairs(old) do
  local key = prefix .. id
  call('DEL', key, key .. ':logs', key .. ':dependencies', key .. ':processed', key .. ':failed', key .. ':unsuccessful')
end
if #old > 0 then call('ZREM', COMPLETED, unpack(old)) end
wanted = math.min(wanted, completed)
if wanted == 0 then return { ended, 0, {} } end
return { ended, take() }`;

/** A script, so that the messages of a channel go through the same node of a cluster, in their order: a client sends PUBLISH to any. */
export const PUBLISH = `return redis.call('publish', KEYS[1], ARGV[1])`;
