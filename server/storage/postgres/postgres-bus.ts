import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { codedStartError } from '../../errors/start-error.ts';
import { type Bus, createLocalBus, type Topic } from '../bus.ts';
import { ANSWER_MS, answered, NoAnswer } from './answered.ts';
import { backoff, refusedStart } from './open-postgres.ts';

const CHANNEL = 'weft';

/** A notice on its way through the database. */
type Sent = readonly [from: string, topic: Topic, name: string];

/** How long what was published may take to be sent when the bus is closed, in milliseconds. */
const CLOSE_MS = 2000;
/** Before it is tried again to listen, in milliseconds. */
const AGAIN_MS = 1000;
/** How long the proof that notices arrive may take, in milliseconds. */
const PROOF_MS = 3000;

interface BusOptions {
  /** Where other servers send from: proves that a NOTIFY sent there arrives. */
  readonly from?: string;
  /** How long an answer, or a notice to itself, may take, in milliseconds; by default 15 seconds. */
  readonly answerMs?: number;
}

/**
 * The bus of servers on one PostgreSQL database, by LISTEN and NOTIFY. Opened once it listens; it connects again by itself. `url` must
 * not lead through a pooler that gives each transaction another session. `failed` gets what listeners throw, and notices that
 * could not be sent. Throws a `StartError` that begins with a code.
 */
export async function openPostgresBus(
  url: string,
  failed: (error: unknown) => void,
  { from, answerMs = ANSWER_MS }: BusOptions = {},
): Promise<Bus> {
  const local = createLocalBus(failed);
  const gaps = new Set<() => void>();
  const self = randomUUID();
  let listened = false;
  let sending: Promise<unknown> = Promise.resolve();
  const proof = Promise.withResolvers<boolean>();
  const receive = (text: string): void => {
    if (text === self) return proof.resolve(true);
    const [from, topic, name] = JSON.parse(text) as Sent;
    if (from === self) line.heard();
    else local.receive(topic, name);
  };
  const onListening = (): void => {
    if (listened) for (const listener of gaps) listener();
    listened = true;
  };
  const line = openLine({ url, answerMs, receive, onListening });
  try {
    await line.listen();
    if (from !== undefined) await prove(from, self, proof.promise);
  } catch (error) {
    await line.close(1);
    throw refusedStart(error);
  }
  return {
    ...local,
    publish(topic, name = '') {
      local.publish(topic, name);
      const sent: Sent = [self, topic, name];
      // One after the other, so that a connection that breaks cannot turn them round.
      sending = sending.then(() => line.send(JSON.stringify(sent))).catch(failed);
    },
    onGap(listener) {
      const own = (): void => listener();
      gaps.add(own);
      return () => void gaps.delete(own);
    },
    async close() {
      // A connection that has died may never answer.
      await Promise.race([sending, sleep(CLOSE_MS)]);
      await line.close(CLOSE_MS / 1000);
    },
  };
}

interface LineOf {
  readonly url: string;
  readonly answerMs: number;
  readonly receive: (text: string) => void;
  readonly onListening: () => void;
}

/** The connections of the bus, which are replaced once they have died without a word. */
function openLine({ url, answerMs, receive, onListening }: LineOf) {
  const connect = (): postgres.Sql =>
    postgres(url, { max: 1, connect_timeout: 5, backoff, fetch_types: false, onnotice: () => {} });
  let client = connect();
  let [sentAt, heardAt, isChecking, closed] = [0, 0, false, false];
  const listen = async (): Promise<void> => void (await client.listen(CHANNEL, receive, onListening));
  const reopen = async (): Promise<void> => {
    void client.end().catch(() => {});
    client = connect();
    while (!closed) {
      try {
        return await listen();
      } catch {
        await sleep(AGAIN_MS, undefined, { ref: false });
      }
    }
  };
  /** What this server sends comes back to it, unless nothing arrives any more. */
  const check = (): void => {
    if (isChecking) return;
    isChecking = true;
    const timer = setTimeout(() => {
      isChecking = false;
      if (!closed && heardAt < sentAt && performance.now() - sentAt >= answerMs / 2) void reopen();
    }, answerMs);
    timer.unref();
  };
  return {
    listen,
    heard: () => void (heardAt = performance.now()),
    async send(text: string): Promise<void> {
      sentAt = performance.now();
      try {
        await answered(() => client.notify(CHANNEL, text), answerMs);
        check();
      } catch (error) {
        if (!closed && error instanceof NoAnswer) void reopen();
        throw error;
      }
    },
    async close(seconds: number): Promise<void> {
      closed = true;
      await client.end({ timeout: seconds });
    },
  };
}

async function prove(url: string, self: string, arrived: Promise<boolean>): Promise<void> {
  const sender = postgres(url, { max: 1, connect_timeout: 5, onnotice: () => {} });
  try {
    await sender.notify(CHANNEL, self);
  } finally {
    await sender.end({ timeout: 1 });
  }
  const isLate = sleep(PROOF_MS, false, { ref: false });
  if (await Promise.race([arrived, isLate])) return;
  throw codedStartError(
    'database_no_notices',
    'A NOTIFY to itself did not arrive. Set WEFT_DATABASE_DIRECT_URL to the address of the same database without a transaction pooler.',
  );
}
