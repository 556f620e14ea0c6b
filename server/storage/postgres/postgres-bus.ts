import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { codedStartError } from '../../errors/start-error.ts';
import { type Bus, createLocalBus, type Topic } from '../bus.ts';
import { gathered } from '../gathered.ts';
import { backoff, refusedStart } from './open-postgres.ts';

const CHANNEL = 'weft';
/** Notices that wait while others are being sent go together. They are only hints, so two equal ones may become one. */
const NOTIFY = 'SELECT count(pg_notify($1, notice)) FROM unnest($2::text[]) AS notice';

/** A notice on its way through the database. */
type Sent = readonly [from: string, topic: Topic, name: string];

/** How long what was published may take to be sent when the bus is closed, in milliseconds. */
const CLOSE_MS = 2000;
/** How long the proof that notices arrive may take, in milliseconds. */
const PROOF_MS = 3000;

interface BusOptions {
  /** Where other servers send from: proves that a NOTIFY sent there arrives. */
  readonly from?: string;
}

/**
 * The bus of servers on one PostgreSQL database, by LISTEN and NOTIFY. Opened once it listens; it connects again by itself. `url` must
 * not lead through a pooler that gives each transaction another session. `failed` gets what listeners throw, and notices that
 * could not be sent. Throws a `StartError` that begins with a code.
 */
export async function openPostgresBus(
  url: string,
  failed: (error: unknown) => void,
  { from }: BusOptions = {},
): Promise<Bus> {
  const client = postgres(url, { max: 1, connect_timeout: 5, backoff, onnotice: () => {} });
  const local = createLocalBus(failed);
  const gaps = new Set<() => void>();
  const self = randomUUID();
  let listened = false;
  // One statement after the other, so that a connection that breaks cannot turn notices round.
  const send = gathered(async (texts: readonly string[]) => {
    await client.unsafe(NOTIFY, [CHANNEL, texts as string[]], { prepare: true });
    return [];
  });
  let sending: Promise<unknown> = Promise.resolve();
  const proof = Promise.withResolvers<boolean>();
  const receive = (text: string): void => {
    if (text === self) return proof.resolve(true);
    const [from, topic, name] = JSON.parse(text) as Sent;
    if (from !== self) local.receive(topic, name);
  };
  const onListening = (): void => {
    if (listened) for (const listener of gaps) listener();
    listened = true;
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
    publish(topic, name = '') {
      local.publish(topic, name);
      const sent: Sent = [self, topic, name];
      sending = send(JSON.stringify(sent)).catch(failed);
    },
    onGap(listener) {
      const own = (): void => listener();
      gaps.add(own);
      return () => void gaps.delete(own);
    },
    async close() {
      // A connection that has died may never answer.
      await Promise.race([sending, sleep(CLOSE_MS)]);
      await client.end({ timeout: CLOSE_MS / 1000 });
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
