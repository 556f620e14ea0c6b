import type { Line } from '../harness.ts';
import type { Life } from './killed-load.ts';
import type { Ledger } from './ledger.ts';
import type { Random } from './random.ts';

/** Work for a server whose disk is full now and then. */
export interface DiskLoad extends AsyncDisposable {
  /** Each is done again and again while the server lives. */
  steps(life: Life): readonly (() => Promise<void>)[];
  /** Holds what the server has against what it has taken, while nothing else goes on and there is room. */
  check(life: Life): Promise<void>;
  /** While there is room: what was begun comes to its end, without a restart. */
  settle(life: Life): Promise<void>;
  lines(): Line[];
}

export interface DiskLoadDeps {
  /** On the disk; the server runs here. */
  readonly folder: string;
  readonly random: Random;
  readonly ledger: Ledger;
}
