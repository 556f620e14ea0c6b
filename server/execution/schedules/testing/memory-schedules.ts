import { WeftError } from '#engine';
import type { ScheduleId, ScheduleStore } from '../schedule-store.ts';

/** The schedules of a disk; it `refuses` while it cannot be written. */
export class MemorySchedules implements ScheduleStore {
  refuses = false;
  private readonly rows = new Map<string, { readonly pattern: string; readonly last: number }>();

  async last(of: ScheduleId): Promise<number | undefined> {
    return this.lastOf(of);
  }

  async seen(
    of: ScheduleId,
    { from, to }: { readonly from: number | undefined; readonly to: number },
  ): Promise<boolean> {
    if (this.refuses) throw new WeftError('storage_failed', 'The disk is full.');
    if (this.lastOf(of) !== from) return false;
    this.rows.set(`${of.flow} ${of.node}`, { pattern: of.pattern, last: to });
    return true;
  }

  private lastOf({ flow, node, pattern }: ScheduleId): number | undefined {
    const row = this.rows.get(`${flow} ${node}`);
    return row?.pattern === pattern ? row.last : undefined;
  }
}
