import { z } from 'zod';
import type { CodeCall } from '#engine';
import { limits } from './limits.ts';

const Line = z.tuple([z.enum(['debug', 'info', 'warn', 'error']), z.string()]);

/**
 * The log of one call of code. The code's side enforces the limit itself; here it applies even if that side cannot be
 * trusted.
 */
export class CallLog {
  private length = 0;
  private readonly context: Pick<CodeCall['context'], 'log'>;

  constructor(context: Pick<CodeCall['context'], 'log'>) {
    this.context = context;
  }

  add(text: string): void {
    this.length += text.length;
    if (this.length > 2 * limits.log) return;
    const line = Line.safeParse(JSON.parse(text));
    if (line.success) this.context.log(...line.data);
  }
}
