import { LEAST_SHARE } from './queue-calls.ts';
import { EVERYONE } from './store.ts';

/*
 * The three steps of every job, each for many jobs at once. They leave the keys that BullMQ's own scripts leave, so that
 * stall checks, retries, retention and the queue board need not know of them; a test compares the two step by step. The
 * differences:
 *
 * - no events are written: the process that asked is told by PUBLISH, and nobody reads the rest;
 * - the marker, which wakes an idle worker, is set only if jobs wait: with BullMQ's, each job is followed by an empty take;
 * - the long body of a job without Idempotency-Key is dropped when it is answered.
 *
 * A queue with priorities, delays, a rate limit or a global concurrency limit is left to BullMQ's scripts.
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
] as const;

const START = `
local call, prefix = redis.call, ARGV[1]
local WAIT, ACTIVE, MARKER, META, COMPLETED = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local STALLED, DELAYED, PRIORITIZED, ID = KEYS[6], KEYS[7], KEYS[8], KEYS[9]`;

/** ARGV: key prefix, options, then of each job: id, name, data, timestamp. */
export const ADD = `${START}
local added = 0
call('INCRBY', ID, (#ARGV - 2) / 4)
for i = 3, #ARGV, 4 do
  local id, key = ARGV[i], prefix .. ARGV[i]
  if call('EXISTS', key) == 0 then
    call('HSET', key, 'name', ARGV[i + 1], 'data', ARGV[i + 2], 'opts', ARGV[2], 'timestamp', ARGV[i + 3],
      'delay', 0, 'priority', 0)
    call('LPUSH', WAIT, id)
    added = added + 1
  end
end
local limits = call('HMGET', META, 'paused', 'concurrency')
local isFull = limits[2] and call('LLEN', ACTIVE) >= tonumber(limits[2])
if added > 0 and not limits[1] and not isFull then call('ZADD', MARKER, 0, '0') end
return added`;

/** The lock of a job is that of the take and its number. Returns how many jobs still wait, or -1 if BullMQ must take them; and of each taken job id and fields. */
const TAKING = `
local now, lockMs = ARGV[2], ARGV[3]
local function take(lock, wanted)
  local limits = call('HMGET', META, 'paused', 'concurrency', 'max')
  if limits[2] or limits[3] or call('EXISTS', DELAYED, PRIORITIZED) > 0 then return -1, {} end
  if limits[1] then return 0, {} end
  local jobs, waiting = {}, call('LLEN', WAIT)
  local share = math.max(${LEAST_SHARE}, math.ceil(waiting / 2))
  for i = 1, math.min(wanted, waiting, share) do
    local id = call('RPOPLPUSH', WAIT, ACTIVE)
    local key = prefix .. id
    call('SET', key .. ':lock', lock .. ':' .. i, 'PX', lockMs)
    call('HSET', key, 'processedOn', now)
    call('HINCRBY', key, 'ats', 1)
    jobs[i] = { id, call('HGETALL', key) }
  end
  if waiting > #jobs then call('ZADD', MARKER, 0, '0') end
  return waiting - #jobs, jobs
end`;

/** ARGV: key prefix, now, lock milliseconds, lock, number of jobs. */
export const TAKE = `${START}${TAKING}
return { take(ARGV[4], tonumber(ARGV[5])) }`;

/**
 * Completes jobs, tells whoever asked, removes old jobs, and takes others. Returns of each job 1 if it was completed, or 0 and changes nothing of it.
 * ARGV: key prefix, now, lock milliseconds, lock of the next jobs, their number, retention in milliseconds, channel prefix,
 * then of each job: id, lock, reply, `replyTo`, data that replaces its own (may be empty).
 */
export const FINISH = `${START}${TAKING}
local function complete(id, lock, reply, asker, data)
  local key = prefix .. id
  if call('EXISTS', key) == 0 or call('GET', key .. ':lock') ~= lock then return 0 end
  if call('LREM', ACTIVE, -1, id) < 1 then return 0 end
  call('DEL', key .. ':lock')
  call('SREM', STALLED, id)
  call('HINCRBY', key, 'atm', 1)
  call('ZADD', COMPLETED, now, id)
  call('HSET', key, 'returnvalue', reply, 'finishedOn', now)
  if data ~= '' then call('HSET', key, 'data', data) end
  redis.pcall('PUBLISH', ARGV[7] .. asker, asker == '${EVERYONE}' and id or id .. reply)
  return 1
end
local ended, completed = {}, 0
for i = 8, #ARGV, 5 do
  local isCompleted = complete(ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3], ARGV[i + 4])
  ended[#ended + 1] = isCompleted
  completed = completed + isCompleted
end
if completed == 0 then return { ended, 0, {} } end
local old = call('ZRANGE', COMPLETED, '-inf', now - ARGV[6], 'BYSCORE', 'LIMIT', 0, 1000)
for _, id in ipairs(old) do
  local key = prefix .. id
  call('DEL', key, key .. ':logs', key .. ':dependencies', key .. ':processed', key .. ':failed', key .. ':unsuccessful')
end
if #old > 0 then call('ZREM', COMPLETED, unpack(old)) end
local wanted = math.min(tonumber(ARGV[5]), completed)
if wanted == 0 then return { ended, 0, {} } end
return { ended, take(ARGV[4], wanted) }`;
