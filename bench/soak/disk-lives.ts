import { once } from 'node:events';
import type { Line } from '../harness.ts';
import { startWeft } from '../servers.ts';
import type { DiskLoad } from './disk-load.ts';
import { faultList, type Life, lifeOf, untilGone } from './killed-load.ts';
import type { Ledger } from './ledger.ts';
import { fact, pause } from './part.ts';
import type { Random } from './random.ts';
import type { SmallDisk } from './small-disk.ts';
import { damagesIn } from './whole-files.ts';

interface LivesDeps {
  readonly disk: SmallDisk;
  readonly random: Random;
  readonly ledger: Ledger;
  readonly loads: readonly DiskLoad[];
}

const PASSWORD = 'of the soak alone';
/** The server outside is on this machine. What a broken disk was not told to keep at once is lost with it. */
const LAUNCH = {
  env: {
    WEFT_OUTBOUND_ALLOW: '127.0.0.1',
    WEFT_DURABLE_SYNC: 'full',
    // The address that signs in has no place on a full disk.
    WEFT_ADMIN_PASSWORD: PASSWORD,
  },
  anyCore: true,
};
const PACE_MS = 10;
/** How long the disk stays as it is, in milliseconds. */
const STAGE = { low: 200, high: 1000 };
/** What becomes free while it is to be full is taken after so long, in milliseconds. */
const REFILL_MS = 20;
const FILLS = 3;
/** A start that is refused says which code and what to do. */
const REMEDY = /storage_failed: [\s\S]*(?:Free space|WEFT_DATA)/;

/** One server after the other on one disk, and what the disk does to them. */
export class DiskLives implements AsyncDisposable {
  private readonly of: LivesDeps;
  private life: Life | undefined = undefined;
  private readonly unsaid = faultList('starts that failed without a code and what to do');
  private readonly damages = faultList('files that were damaged or put aside');
  private readonly deaths = faultList('ends of the server that nobody asked for');
  private fills = 0;
  private kills = 0;
  private refusedStarts = 0;

  constructor(of: LivesDeps) {
    this.of = of;
  }

  /** Nothing is restarted when there is room again. */
  async fullNowAndThen(): Promise<void> {
    const life = await this.living();
    await this.working(life, async () => {
      for (let fill = 0; fill < FILLS; fill++) {
        await this.stay();
        await this.full(() => this.stay());
      }
      await this.stay();
    });
    await this.settle(life);
    await this.check(life);
  }

  async killedWhileFull(): Promise<void> {
    const life = await this.living();
    let next: Life | undefined;
    await this.working(life, async () => {
      await this.stay();
      await this.full(async () => {
        await this.stay();
        await this.kill(life);
        next = await this.startedOrSaid();
      });
    });
    this.life = next;
    if (next !== undefined) await this.settle(next);
    await this.check(await this.living());
  }

  /** The system makes the disk read-only at once, and it is repaired without the server. */
  async broken(): Promise<void> {
    const { disk, ledger } = this.of;
    const life = await this.living();
    await this.working(life, () => this.stay());
    disk.breakNow();
    ledger.stage = { isFree: false, name: 'a broken disk' };
    await this.working(life, async () => {
      await this.stay();
      await this.kill(life);
    });
    disk.repair();
    ledger.stage = { isFree: true, name: 'a disk with room' };
    await this.check(await this.living());
  }

  async readOnlyAtStart(): Promise<void> {
    const { disk } = this.of;
    await this.stop();
    disk.readOnly(true);
    this.life = await this.startedOrSaid();
    if (this.life !== undefined) this.unsaid.add('The server started on a disk that may not be written.');
    await this.stop();
    disk.readOnly(false);
    await this.check(await this.living());
  }

  /** What was begun comes to its end, and the files of a server that has stopped are whole. */
  async end(): Promise<void> {
    const life = await this.living();
    await this.settle(life);
    await this.check(life);
    await this.stop();
    for (const damage of damagesIn(this.of.disk.path)) this.damages.add(damage);
  }

  lines(): Line[] {
    return [
      fact('times that the disk was filled', this.fills),
      fact('kills', this.kills),
      fact('starts that were refused', this.refusedStarts),
      this.unsaid.line(),
      this.damages.line(),
      this.deaths.line(),
    ];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  // ----------------------------------------------------------------------------------------------------------- servers

  private async living(): Promise<Life> {
    this.life ??= await this.start();
    return this.life;
  }

  private async start(): Promise<Life> {
    const server = await startWeft(this.of.disk.path, LAUNCH);
    const { child } = server;
    let said = '';
    child.stderr?.on('data', (text) => (said = `${said}${String(text)}`.slice(-2000)));
    child.once('exit', (code, signal) => {
      if (!child.killed) this.deaths.add(`${signal ?? `exit code ${code}`}: ${said}`);
    });
    try {
      return await lifeOf(server, PASSWORD);
    } catch (error) {
      await server[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Undefined where the server did not start. */
  private async startedOrSaid(): Promise<Life | undefined> {
    try {
      return await this.start();
    } catch (error) {
      const { message } = error as Error;
      this.refusedStarts++;
      if (!REMEDY.test(message) || message.includes('\n    at ')) this.unsaid.add(message);
      return undefined;
    }
  }

  private async kill({ server: { child } }: Life): Promise<void> {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    this.kills++;
    this.life = undefined;
  }

  private async stop(): Promise<void> {
    await this.life?.server[Symbol.asyncDispose]();
    this.life = undefined;
  }

  // -------------------------------------------------------------------------------------------------------------- work

  /** The loads work until `what` is done. */
  private async working(life: Life, what: () => Promise<void>): Promise<void> {
    let isOver = false;
    const steps = this.of.loads.flatMap((load) => load.steps(life));
    const paced = (step: () => Promise<void>) => async (): Promise<void> => {
      await step();
      await pause(PACE_MS);
    };
    const all = Promise.all(steps.map((step) => untilGone(life, paced(step), () => isOver)));
    try {
      await what();
    } finally {
      isOver = true;
    }
    await all;
  }

  private async settle(life: Life): Promise<void> {
    for (const load of this.of.loads) await load.settle(life);
  }

  private async check(life: Life): Promise<void> {
    for (const load of this.of.loads) await load.check(life);
  }

  /** Full to the last byte for as long as `what` takes. */
  private async full(what: () => Promise<void>): Promise<void> {
    const { disk, ledger } = this.of;
    let isOver = false;
    ledger.stage = { isFree: false, name: 'a full disk' };
    this.fills++;
    const filling = async (): Promise<void> => {
      while (!isOver) {
        disk.fill();
        await pause(REFILL_MS);
      }
    };
    const filled = filling();
    try {
      await what();
    } finally {
      isOver = true;
      await filled;
      disk.free();
      ledger.stage = { isFree: true, name: 'a disk with room' };
    }
  }

  private stay(): Promise<void> {
    return pause(this.of.random.between(STAGE.low, STAGE.high));
  }
}
