import { type Owner, signIn, signInBy } from '../../tests/support/client.ts';
import type { Line } from '../harness.ts';
import type { Server } from '../servers.ts';
import { never, pause } from './part.ts';
import type { Random } from './random.ts';

/** A server from its start to its kill, and its owner in it. */
export interface Life {
  readonly server: Server;
  readonly url: string;
  readonly owner: Owner;
  /** Resolves when some of the load's work was answered. */
  readonly answered: Promise<void>;
  noteAnswer(): void;
}

export async function lifeOf(server: Server, password?: string): Promise<Life> {
  const url = server.origin;
  const owner = await (password === undefined
    ? signIn({ url, entrance: server.url })
    : signInBy(password, { url }));
  return { server, url, owner, ...firstAnswer() };
}

/** What tells one load's work from that of others. */
export function firstAnswer(): Pick<Life, 'answered' | 'noteAnswer'> {
  const { promise: answered, resolve: noteAnswer } = Promise.withResolvers<void>();
  return { answered, noteAnswer };
}

/** Work for a server that may be killed at any moment. */
export interface KilledLoad extends AsyncDisposable {
  /** Works until the server is gone; what it refuses while it lives is a fault. */
  work(life: Life): Promise<void>;
  /** Looks at what a new server has, before any new work. */
  check(life: Life): Promise<void>;
  /** After the last kill: what was begun comes to its end. */
  settle(life: Life): Promise<void>;
  lines(): Line[];
}

export interface LoadSetup {
  /** Where the server runs; flows lie in `flows`, data in `data`. */
  readonly folder: string;
  readonly random: Random;
}

/** Calls `step` until the server is gone, or `isOver`. */
export async function untilGone(
  life: Life,
  step: () => Promise<void>,
  isOver = (): boolean => false,
): Promise<void> {
  const { child } = life.server;
  const isGone = () => child.killed || child.exitCode !== null || child.signalCode !== null;
  while (!isGone() && !isOver()) {
    try {
      await step();
      life.noteAnswer();
    } catch (error) {
      // `fetch` has no answer: the kill came first, and the process may still be on its way out.
      if (!(error instanceof TypeError)) throw error;
      await pause(1);
    }
  }
}

/** Faults of one kind. */
export function faultList(name: string): { add(fault: string): void; line(): Line } {
  const faults: string[] = [];
  return { add: (fault) => void faults.push(fault), line: () => never(name, faults) };
}
