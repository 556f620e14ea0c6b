import { isLarge } from './examinations.ts';
import type { Examined } from './examine.ts';

/** The parts of a flow's answer that grow with the flow. */
type Told = Pick<Examined, 'source' | 'flow'>;

/** After an answer with it; a flow is mostly read soon after it was saved or read. */
const KEPT_MS = 30_000;

/**
 * The JSON of the text and the value of a large flow: it takes most of the time of reading it, and what a save does after
 * its verdict. The last one is kept for a while.
 */
export class LargeJson {
  private last: { readonly told: Told; readonly json: Buffer } | undefined;
  private forgets: NodeJS.Timeout | undefined;

  /** Undefined for small flows. */
  of({ source, flow }: Told): Buffer | undefined {
    if (!isLarge({ source })) return undefined;
    const json = this.kept({ source, flow }) ?? Buffer.from(JSON.stringify({ text: source, flow }));
    this.last = { told: { source, flow }, json };
    clearTimeout(this.forgets);
    this.forgets = setTimeout(() => this.forget(), KEPT_MS).unref();
    return json;
  }

  private kept({ source, flow }: Told): Buffer | undefined {
    const { told, json } = this.last ?? {};
    return told?.flow === flow && told?.source === source ? json : undefined;
  }

  forget(): void {
    clearTimeout(this.forgets);
    this.last = undefined;
  }
}
