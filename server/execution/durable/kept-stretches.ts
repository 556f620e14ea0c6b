import { STRETCH } from '#engine';

/** Below this many records a stretch is not worth one of its own. */
const FEWEST = 100;
/** An item in a key: `loop#7` or `loop/7`, with what follows it. */
const ITEM = /[#/](\d+)(?=$|[/@:#])/g;
/** The end of the key of a stretch: `loop#0-499`. */
const WHOLE = /^(.*)#(\d+)-\d+$/;

/**
 * Which records belong to which stretches of loops, so that one record can take the place of those of all its items.
 * SX1. A record that also says in which order something outside the stretch ended stays until that is over as well.
 * SX2. The cost of a stretch depends on its own records, not on those of the run.
 */
export class KeptStretches {
  private readonly members = new Map<string, Set<string>>();
  private readonly over = new Set<string>();
  /** The order in the records that have one. */
  private readonly orders = new Map<string, readonly string[]>();
  /** Records of stretches that are over, kept for their order. */
  private readonly staying = new Set<string>();

  /** Call it for each record. */
  add(key: string, order: readonly string[]): void {
    const whole = WHOLE.exec(key);
    if (whole) this.over.add(nameOf(whole[1] as string, Number(whole[2])));
    for (const stretch of stretchesOf(key)) {
      let keys = this.members.get(stretch);
      if (keys === undefined) this.members.set(stretch, (keys = new Set()));
      keys.add(key);
    }
    if (order.length > 0) this.orders.set(key, order);
    if (order.length > 0 && this.isOver(key)) this.staying.add(key);
  }

  /** The records that one of the stretch replaces, and those whose turn has come meanwhile; undefined if they are too few. */
  goneWith(loop: string, from: number): readonly string[] | undefined {
    const stretch = nameOf(loop, from);
    const own = [...(this.members.get(stretch) ?? [])];
    if (own.length < FEWEST) return undefined;
    const isGone = (key: string): boolean =>
      (this.orders.get(key) ?? []).every((name) => this.isOver(name) || stretchesOf(name).includes(stretch));
    return [...own, ...this.staying].filter(isGone);
  }

  /** The stretch is recorded, and these records are gone. */
  replaced(loop: string, from: number, gone: readonly string[]): void {
    const stretch = nameOf(loop, from);
    for (const key of this.members.get(stretch) ?? []) if (this.orders.has(key)) this.staying.add(key);
    for (const key of gone) {
      for (const around of stretchesOf(key)) this.members.get(around)?.delete(key);
      this.orders.delete(key);
      this.staying.delete(key);
    }
    this.members.delete(stretch);
    this.over.add(stretch);
  }

  private isOver(key: string): boolean {
    return stretchesOf(key).some((stretch) => this.over.has(stretch));
  }
}

/** The stretches that a record belongs to, from the outermost one. */
function stretchesOf(key: string): string[] {
  return [...key.matchAll(ITEM)].map(({ 1: item, index }) => nameOf(key.slice(0, index), Number(item)));
}

function nameOf(loop: string, item: number): string {
  return `${loop} ${Math.floor(item / STRETCH)}`;
}
