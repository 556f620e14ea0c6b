import { isLarge } from './examinations.ts';
import type { Examined } from './examine.ts';

/** The parts of a flow's answer that grow with the flow. */
type LargeParts = Pick<Examined, 'source' | 'flow'>;

/** How long it is kept after an answer, in milliseconds; a flow is mostly read soon after it was saved or read. */
const KEPT_MS = 30_000;

/**
 * The JSON of the text and the value of a large flow: writing it is most of the cost of reading the flow, and of a save after
 * its check. The last one is kept for a while.
 */
export class LargeJson {
  private last: { readonly parts: LargeParts; readonly json: Buffer } | undefined;
  private forgets: NodeJS.Timeout | undefined;

  /** Undefined for small flows. */
  of({ source, flow }: LargeParts): Buffer | undefined {
    if (!isLarge({ source })) return undefined;
    const json = this.kept({ source, flow }) ?? Buffer.from(JSON.stringify({ text: source, flow }));
    this.last = { parts: { source, flow }, json };
    clearTimeout(this.forgets);
    this.forgets = setTimeout(() => this.forget(), KEPT_MS).unref();
    return json;
  }

  private kept({ source, flow }: LargeParts): Buffer | undefined {
    const { parts, json } = this.last ?? {};
    return parts?.flow === flow && parts?.source === source ? json : undefined;
  }

  forget(): void {
    clearTimeout(this.forgets);
    this.last = undefined;
  }
}
