import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { codedStartError } from '../../errors/start-error.ts';
import { type Bus, createLocalBus, type Topic } from '../bus.ts';
import { gathered } from '../gathered.ts';
import { refusedStart } from './open-postgres.ts';
import { ANSWER_MS, answered, NoAnswer } from './answered.ts';
import { backoff } from './pool.ts';

const CHANNEL = 'weft';
/** Notices that wait while others are being sent go together. They are only hints, so two equal ones may become one. */
const NOTIFY = 'SELECT count(pg_notify($1, notice)) FROM unnest($2::text[]) AS notice';

/** A notice on its way through the database. */
type Sent = readonly [from: string, topic: Topic, name: string];

/** How long what was published may take to be sent when the bus is closed, in milliseconds. */
const CLOSE_MS = 2000;
/** How long the proof that notices arrive may take, in milliseconds. */
const PROOF_MS = 3000;

/** How often a new connection is asked to listen, in milliseconds. */
const AGAIN_MS = 500;

interface SharedBus extends Bus {
  /** Leaves its connections for new ones: the address may lead to another server by now. */
  renew(): void;
}

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
): Promise<SharedBus> {
  const connect = () => postgres(url, { max: 1, connect_timeout: 5, backoff, onnotice: () => {} });
  let client = connect();
  const local = createLocalBus(failed);
  const gaps = new Set<() => void>();
  const self = randomUUID();
  let listened = false;
  let [sentAt, heardAt, isChecking, closed] = [0, 0, false, false];
  let sending: Promise<unknown> = Promise.resolve();
  const proof = Promise.withResolvers<boolean>();
  const receive = (text: string): void => {
    if (text === self) return proof.resolve(true);
    const [from, topic, name] = JSON.parse(text) as Sent;
    if (from === self) heardAt = performance.now();
    else local.receive(topic, name);
  };
  const onListening = (): void => {
    if (listened) for (const listener of gaps) listener();
    listened = true;
  };
  const renew = async (): Promise<void> => {
    const before = client;
    const opened = (client = connect());
    // One that has died ends when the system gives it up.
    void before.end().catch(() => {});
    const listen = () => opened.listen(CHANNEL, receive, onListening);
    await untilDone(listen, failed, () => closed || client !== opened);
  };
  /** One statement after the other, so that a connection that breaks cannot turn notices round; one that has died without a word is replaced. */
  const send = gathered(async (texts: readonly string[]) => {
    try {
      sentAt = performance.now();
      const values = [CHANNEL, texts as string[]];
      await answered(() => client.unsafe(NOTIFY, values, { prepare: true }), answerMs);
      return [];
    } catch (error) {
      if (!closed && error instanceof NoAnswer) void renew();
      throw error;
    }
  });
  /** What this server sends comes back to it, unless nothing arrives any more. */
  const check = (): void => {
    if (isChecking) return;
    isChecking = true;
    const timer = setTimeout(() => {
      isChecking = false;
      if (!closed && heardAt < sentAt && performance.now() - sentAt >= answerMs / 2) void renew();
    }, answerMs);
    timer.unref();
  };
  try {
    await client.listen(CHANNEL, receive, onListening);
    if (from !== undefined) await prove(from, self, proof.promise);
  } catch (error) {
    await client.end({ timeout: 1 });
    throw refusedStart(error);
  }
  return {
    ...local,
    renew: () => void renew(),
    publish(topic, name = '') {
      local.publish(topic, name);
      const sent: Sent = [self, topic, name];
      sending = send(JSON.stringify(sent)).then(check, failed);
    },
    onGap(listener) {
      const own = (): void => listener();
      gaps.add(own);
      return () => void gaps.delete(own);
    },
    async close() {
      closed = true;
      // A connection that has died may never answer.
      await Promise.race([sending, sleep(CLOSE_MS)]);
      await client.end({ timeout: CLOSE_MS / 1000 });
    },
  };
}

async function untilDone(
  work: () => Promise<unknown>,
  failed: (error: unknown) => void,
  isOver: () => boolean,
): Promise<void> {
  while (!isOver()) {
    try {
      return void (await work());
    } catch (error) {
      failed(error);
      await sleep(AGAIN_MS, undefined, { ref: false });
    }
  }
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
