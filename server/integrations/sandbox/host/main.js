import { createRequire } from 'node:module';
import { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { quickjsEngine } from './engine-quickjs.js';
import { v8Engine } from './engine-v8.js';
import { guestSource } from './guest-source.js';
import { LocalAnswers } from './local-answers.js';
import { RealmQueue } from './realm.js';
import { frame, FrameReader, line, readLine } from './wire.js';

/**
 * The sandbox host: a process that runs the code of code nodes and nothing else. `server/integrations/sandbox/spawn.ts` starts it
 * with an empty environment and a socket as its file 3; when that socket closes, it ends.
 *
 * Arguments: the binary of isolated-vm or `quickjs`, and the most memory in MB that the process may use.
 */
const [binary = 'quickjs', maxRss = '512'] = process.argv.slice(2);

/**
 * Parts of the memory that the process may use. Beyond the first, each new realm replaces idle ones, the least recently
 * used first; beyond the second, calls that would need a new realm are given back.
 */
const TIGHT = 0.65;
const NEARLY_FULL = 0.8;
/** MB that a realm takes with its first call, as an estimate for those that have not had it yet. */
const REALM_MB = 3;
/** Idle realms that make place for a new one: more than one, because realms grow. */
const REPLACED = 2;
/** The most characters of a room's output at once. */
const MAX_TEXT = 8_000_000;
/** Milliseconds between two looks at the clock. */
const TICK_MS = 25;
/** Milliseconds after its limit at which a running crossing counts as stuck, and at which it must have ended. */
const STUCK_MS = 250;
/** Milliseconds that answers are held back to be sent together. */
const HOLD_MS = 10;
/** How many times as long a crossing may take if it gets no processor. */
const PATIENCE = 30;
/** Milliseconds that a call may wait for nothing at all. */
const MAX_IDLE_MS = 1000;

const socket = new Socket({ fd: 3 });
/** @type {string[]} */
let outgoing = [];
/** When the first of them was added. */
let oldest = 0;
/** @type {Map<number, import('./room.js').Unit>} */
const units = new Map();
/** @type {Map<string, RealmQueue>} */
const realms = new Map();
/** @type {Set<RealmQueue>} */
const ready = new Set();
/** To be opened when there is nothing else to do. @type {import('./room.js').Unit[]} */
const cold = [];
const local = new LocalAnswers(answered);
const engine = await startEngine();
/** The server knows that new calls should go elsewhere. */
let isNearlyFull = false;

/** @type {(op: string, id: number, unit: number, text: string) => void} */
function send(op, id, unit, text) {
  if (outgoing.length === 0) {
    setImmediate(flush);
    oldest = performance.now();
  }
  outgoing.push(line(op, id, unit, text));
  // The next crossing may take long.
  if (performance.now() - oldest > HOLD_MS) flush();
}

/** What a realm says. Some requests are answered here, without the outside. @type {typeof send} */
function heard(op, id, unit, text) {
  if (op === 'H' && local.take(id, unit, text)) return;
  if (op !== 'H' && op !== 'L' && op !== 'I' && op !== 'W') local.forget(id);
  send(op, id, unit, text);
}

/** @type {(op: string, id: number, number: number, text: string) => void} */
function answered(op, id, number, text) {
  const unit = units.get(number);
  if (!unit || !isHere(realms.get(unit.realm), number, id)) return;
  queue(unit, op, id, text);
  runReady();
  flush();
}

function flush() {
  if (outgoing.length === 0) return;
  const text = outgoing.join('');
  outgoing = [];
  socket.write(frame(text));
}

/** Sends its last messages, then ends. */
function die() {
  const text = outgoing.join('');
  outgoing = [];
  socket.write(frame(text), () => process.exit(1));
}

async function startEngine() {
  const guest = guestSource();
  const onBroken = () => die();
  try {
    if (binary !== 'quickjs') return v8Engine(binary, guest, { maxText: MAX_TEXT, onBroken });
  } catch (error) {
    send('L', 0, 0, JSON.stringify(`isolated-vm cannot be loaded: ${String(error)}`));
  }
  const require = createRequire(import.meta.url);
  const { newQuickJSWASMModuleFromVariant } = /** @type {typeof import('quickjs-emscripten-core')} */ (
    require('quickjs-emscripten-core')
  );
  const variant = /** @type {typeof import('@jitl/quickjs-wasmfile-release-sync')} */ (
    require('@jitl/quickjs-wasmfile-release-sync')
  );
  const quickjs = await newQuickJSWASMModuleFromVariant(variant.default);
  return quickjsEngine(quickjs, guest, { maxText: MAX_TEXT });
}

/** @type {(unit: import('./room.js').Unit) => RealmQueue} */
function realmFor(unit) {
  const known = realms.get(unit.realm);
  if (known) return known;
  const realm = new RealmQueue(unit.realm, engine.realm(unit.memoryMb), {
    send: heard,
    lost,
    broken: giveUp,
  });
  realms.set(unit.realm, realm);
  return realm;
}

/** The part of its memory that the process uses, with what new realms are going to take. */
function memoryUsed() {
  let waiting = 0;
  for (const realm of realms.values()) if (!realm.hasRun) waiting++;
  return process.memoryUsage.rss() / 1024 ** 2 + waiting * REALM_MB;
}

/** Whether there is memory for one more realm; idle ones are forgotten for it. */
function hasPlace() {
  if (memoryUsed() > TIGHT * Number(maxRss)) forgetIdle(REPLACED);
  return memoryUsed() <= NEARLY_FULL * Number(maxRss);
}

/** Their units stay known, so that calls which are on the way find them. @type {(most: number) => void} */
function forgetIdle(most) {
  const idle = [...realms.values()].filter((realm) => realm.isIdle).sort((a, b) => a.usedAt - b.usedAt);
  for (const realm of idle.slice(0, most)) realm.lose('code_memory', undefined, []);
}

/** The server starts another host, and this one finishes what it has. */
function nearlyFull() {
  forgetIdle(realms.size);
  if (isNearlyFull) return;
  isNearlyFull = true;
  send('M', 0, 0, '');
  flush();
}

/** @type {(realm: RealmQueue) => void} */
function lost(realm) {
  if (realms.get(realm.key) === realm) realms.delete(realm.key);
  ready.delete(realm);
}

/** @type {(text: string) => void} */
function take(text) {
  const { op, id, unit: number, text: body } = readLine(text);
  if (op === 'T') return send('O', id, 0, String(process.memoryUsage.rss()));
  if (op === 'U') return void units.set(number, JSON.parse(body));
  const unit = units.get(number);
  if (op === 'W') return void (unit && cold.push(unit));
  if (op === 'Z') return unit && forgetUnit(unit);
  if (isStart(op)) return unit ? begin(unit, op, id, body) : send('N', id, number, '');
  if (op === 'X') local.forget(id);
  // Messages for a call that is gone with its realm are dropped.
  if (unit && isHere(realms.get(unit.realm), number, id)) queue(unit, op, id, body);
}

/** @type {(unit: import('./room.js').Unit, op: string, id: number, text: string) => void} */
function begin(unit, op, id, text) {
  if (realms.has(unit.realm) || hasPlace()) return queue(unit, op, id, text);
  isNearlyFull = true;
  send('M', id, unit.id, '');
}

/** @type {(unit: import('./room.js').Unit) => void} */
function forgetUnit(unit) {
  units.delete(unit.id);
  const realm = realms.get(unit.realm);
  if (realm?.rooms.get(unit.id)?.isIdle) realm.rooms.delete(unit.id);
}

/** @type {(unit: import('./room.js').Unit, op: string, id: number, text: string) => void} */
function queue(unit, op, id, text) {
  const realm = realmFor(unit);
  const room = realm.roomFor(unit);
  if (op === 'X' && !room.open.has(id)) room.queue = room.queue.filter((entry) => entry.id !== id);
  else room.queue.push({ op, id, text });
  realm.usedAt = performance.now();
  ready.add(realm);
}

/**
 * Whether a call is open or waits to start.
 *
 * @type {(realm: RealmQueue | undefined, unit: number, id: number) => boolean}
 */
function isHere(realm, unit, id) {
  const room = realm?.rooms.get(unit);
  return room !== undefined && (room.open.has(id) || room.queue.some((entry) => entry.id === id));
}

/** @type {(op: string) => boolean} */
function isStart(op) {
  return op === 'C' || op === 'A' || op === 'G';
}

/** Checks that no crossing can make itself: time that passes while nothing, or too much, happens. */
function tick() {
  const now = performance.now();
  for (const realm of realms.values()) {
    const { crossing } = realm;
    if (crossing && realm.isStuck(now, STUCK_MS, PATIENCE)) stuck(realm, crossing);
    else if (!crossing) stopLateCalls(realm, now);
  }
  const used = process.memoryUsage.rss() / 1024 ** 2;
  if (used > Number(maxRss)) overfull();
  else if (used > NEARLY_FULL * Number(maxRss)) nearlyFull();
}

/** @type {(realm: RealmQueue, crossing: import('./realm.js').Crossing) => void} */
function stuck(realm, crossing) {
  realm.lose('code_timeout', crossing.entries[0]?.id, []);
  // Some of V8's own loops cannot be interrupted; only the end of the process stops them.
  setTimeout(() => {
    if (!crossing.dead) giveUp();
  }, STUCK_MS);
}

/** @type {(realm: RealmQueue, now: number) => void} */
function stopLateCalls(realm, now) {
  for (const room of realm.rooms.values()) {
    for (const call of room.open.values()) {
      const reason = lateReason(room.unit, call, now);
      if (reason !== undefined) realm.stop(room, call.id, 'code_timeout', reason);
    }
    if (room.queue.length > 0) ready.add(realm);
  }
  runReady();
}

/** @type {(unit: import('./room.js').Unit, call: import('./room.js').OpenCall, now: number) => string | undefined} */
function lateReason(unit, call, now) {
  if (!unit.isStream && now - call.since > unit.wallMs) return `The code took longer than ${unit.wallMs} ms.`;
  const waitsForOthers = call.outside > 0 || call.wanted > 0 || (unit.isStream && call.owed <= 0);
  if (waitsForOthers || now - call.idleSince < MAX_IDLE_MS) return undefined;
  return 'The code waits for a promise that nothing will ever settle.';
}

/**
 * Too much memory in all: the call that computes now may be the cause, or an earlier one whose memory is not free
 * yet.
 */
function overfull() {
  send('B', 0, 0, '');
  for (const realm of [...realms.values()]) {
    if (realm.crossing) realm.lose('code_memory', undefined, realm.crossing.entries);
  }
  giveUp();
}

function giveUp() {
  send('B', 0, 0, '');
  for (const realm of [...realms.values()]) realm.lose('code_memory', undefined, []);
  die();
}

/** In turns, so that whoever is done need not wait until all others have been opened. */
function runReady() {
  const since = performance.now();
  for (const realm of ready) {
    ready.delete(realm);
    realm.run();
    if (performance.now() - since < HOLD_MS) continue;
    // It is busy, not silent.
    send('O', 0, 0, '');
    flush();
    return void setImmediate(runReady);
  }
  if (cold.length > 0) setImmediate(warm);
}

/** Opens one room in advance. */
function warm() {
  const unit = cold.shift();
  if (!unit) return;
  try {
    const realm = realmFor(unit);
    realm.hasRun = true;
    realm.roomFor(unit).warm();
  } catch {
    // Its first call fails in the same way, and says so.
  }
  runReady();
}

// Sent before anything is received: the first call may already be one that never ends.
send('Y', 0, 0, engine.name);
flush();
const reader = new FrameReader();
socket.on('data', (chunk) => {
  for (const text of reader.push(chunk)) take(text);
  runReady();
  flush();
});
socket.on('close', () => process.exit(0));
socket.on('error', () => process.exit(0));
setInterval(tick, TICK_MS);
