import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { codedStartError } from '../../../base/errors/start-error.ts';
import { type Bus, createLocalBus, decisiveTopics, type Topic } from '../bus.ts';
import { gathered } from '../gathered.ts';
import { refusedStart } from './refused-start.ts';
import { ANSWER_MS, answered, NoAnswer } from './answered.ts';
import { type Doubt, doubts, mayBeHeard, NoticeProof } from './notice-proof.ts';
import { backoff, withoutTypes } from './pool.ts';

const CHANNEL = 'weft';
/** Notices that wait while others are being sent go together. */
const NOTIFY = 'SELECT count(pg_notify($1, notice)) FROM unnest($2::text[]) AS notice';

/** A notice to send. */
type ToSend = readonly [topic: Topic, name: string];

/** How long the remaining notices may take to be sent when the bus is closed, in milliseconds. */
const CLOSE_MS = 2000;
/** How long the proof that notices arrive may take, in milliseconds. */
const PROOF_MS = 3000;

/** The pause between attempts to listen on a new connection, in milliseconds. */
const AGAIN_MS = 500;

interface SharedBus extends Bus {
  /** Replaces its connections: the address may lead to another server by now. */
  renew(): void;
  /** The number of notices that arrived without proof of their server. */
  readonly unproven: ReadonlyMap<Doubt, number>;
}

interface BusOptions {
  /** The keys that the servers of a database share: the first one signs notices, all are accepted. */
  readonly keys: () => readonly Uint8Array[];
  /** Unix milliseconds, by a clock that all servers share; by default that of this machine. */
  readonly now?: () => number;
  /** Called for each notice without proof of its server. */
  readonly doubted?: (doubt: Doubt, topic: Topic) => void;
  /** The address from which other servers send: proves that a NOTIFY sent there arrives. */
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
  { keys, now = Date.now, doubted, from, answerMs = ANSWER_MS }: BusOptions,
): Promise<SharedBus> {
  const local = createLocalBus(failed);
  const gaps = new Set<() => void>();
  const self = randomUUID();
  const notices = new NoticeProof({ self, keys, now });
  const { unproven, count } = countDoubts(doubted);
  let heardAt = 0;
  let listened = false;
  let sending: Promise<unknown> = Promise.resolve();
  const proof = Promise.withResolvers<boolean>();
  const line = new Line(url, {
    answerMs,
    failed,
    write: ([topic, name]) => notices.write(topic, name),
    heardAt: () => heardAt,
    receive(text) {
      if (text === self) return proof.resolve(true);
      const notice = notices.read(text);
      if (notice === undefined) return;
      const { by, topic, name, doubt } = notice;
      if (by === self) return void (heardAt = performance.now());
      if (doubt !== undefined) count(doubt, topic);
      if (mayBeHeard(notice)) local.receive(topic, name);
    },
    listening() {
      if (listened) for (const listener of gaps) listener();
      listened = true;
    },
  });
  try {
    await line.listen();
    if (from !== undefined) await prove(from, self, proof.promise);
  } catch (error) {
    await line.end(1);
    throw refusedStart(error);
  }
  return {
    ...local,
    unproven,
    renew: () => void line.renew(),
    publish(topic, name = '') {
      local.publish(topic, name);
      sending = line.send([topic, name]).then(() => line.check(), failed);
    },
    onGap(listener) {
      const own = (): void => listener();
      gaps.add(own);
      return () => void gaps.delete(own);
    },
    async close() {
      // A connection that has died may never answer.
      await Promise.race([sending, sleep(CLOSE_MS)]);
      await line.end(CLOSE_MS / 1000);
    },
  };
}

function countDoubts(doubted: BusOptions['doubted']) {
  const unproven = new Map<Doubt, number>(doubts.map((doubt) => [doubt, 0]));
  const count = (doubt: Doubt, topic: Topic): void => {
    unproven.set(doubt, (unproven.get(doubt) ?? 0) + 1);
    doubted?.(doubt, topic);
  };
  return { unproven, count };
}

interface LineDeps {
  readonly answerMs: number;
  readonly failed: (error: unknown) => void;
  readonly write: (notice: ToSend) => string;
  readonly receive: (text: string) => void;
  /** Called whenever it begins to listen. */
  readonly listening: () => void;
  /** When something arrived that was sent here. */
  readonly heardAt: () => number;
}

/** The connections that send notices and listen for them; they are replaced if one has died silently. */
class Line {
  private readonly deps: LineDeps;
  private readonly connect: () => postgres.Sql;
  private client: postgres.Sql;
  private sentAt = 0;
  private isChecking = false;
  private ended = false;
  /** One statement after the other, so that a broken connection cannot reorder notices. */
  readonly send: (notice: ToSend) => Promise<unknown>;

  constructor(url: string, deps: LineDeps) {
    this.deps = deps;
    this.connect = () =>
      postgres(url, {
        ...withoutTypes,
        max: 1,
        connect_timeout: 5,
        backoff,
        onnotice: () => {},
      }) as unknown as postgres.Sql;
    this.client = this.connect();
    this.send = gathered((all: readonly ToSend[]) => this.notify(all));
  }

  async listen(): Promise<void> {
    await this.client.listen(CHANNEL, this.deps.receive, this.deps.listening);
  }

  async renew(): Promise<void> {
    const before = this.client;
    const opened = (this.client = this.connect());
    // One that has died ends when the system gives it up.
    void before.end().catch(() => {});
    await untilDone(
      () => this.listen(),
      this.deps.failed,
      () => this.ended || this.client !== opened,
    );
  }

  /** This server receives its own notices, unless nothing arrives any more. */
  check(): void {
    if (this.isChecking) return;
    this.isChecking = true;
    const { answerMs, heardAt } = this.deps;
    const timer = setTimeout(() => {
      this.isChecking = false;
      const isLate = heardAt() < this.sentAt && performance.now() - this.sentAt >= answerMs / 2;
      if (!this.ended && isLate) void this.renew();
    }, answerMs);
    timer.unref();
  }

  /** Gives the work under way this many seconds to end. */
  async end(seconds: number): Promise<void> {
    this.ended = true;
    await this.client.end({ timeout: seconds });
  }

  private async notify(all: readonly ToSend[]): Promise<readonly unknown[]> {
    try {
      this.sentAt = performance.now();
      const values = [CHANNEL, withoutRepeats(all).map(this.deps.write)];
      await answered(() => this.client.unsafe(NOTIFY, values, { prepare: true }), this.deps.answerMs);
      return [];
    } catch (error) {
      if (!this.ended && error instanceof NoAnswer) void this.renew();
      throw error;
    }
  }
}

/** Keeps one of equal hints, which have the same effect. */
function withoutRepeats(all: readonly ToSend[]): readonly ToSend[] {
  const seen = new Set<string>();
  return all.filter(([topic, name]) => {
    const hint = `${topic} ${name}`;
    if (seen.has(hint) && !decisiveTopics.has(topic)) return false;
    seen.add(hint);
    return true;
  });
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
  const sender = postgres(url, { ...withoutTypes, max: 1, connect_timeout: 5, onnotice: () => {} });
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
