import { WeftError } from '#engine';
import type { Pause, PausedSchedule, ScheduleId, ScheduleStore } from '../schedule-store.ts';

/** The schedules of a disk; it `refuses` while it cannot be written. */
export class MemorySchedules implements ScheduleStore {
  refuses = false;
  isUnreadable = false;
  private readonly pauses = new Map<string, PausedSchedule & Pause>();
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

  async pauseOf({ flow, node }: Pick<ScheduleId, 'flow' | 'node'>): Promise<Pause | undefined> {
    if (this.isUnreadable) throw new WeftError('storage_failed', 'The disk cannot be read.');
    return this.pauses.get(`${flow} ${node}`);
  }

  async paused(): Promise<PausedSchedule[]> {
    return [...this.pauses.values()].filter(({ until }) => until === undefined);
  }

  async pause(
    { flow, node }: Pick<ScheduleId, 'flow' | 'node'>,
    { by, at }: Pick<PausedSchedule, 'by' | 'at'>,
  ): Promise<void> {
    const before = this.pauses.get(`${flow} ${node}`);
    if (before !== undefined && before.until === undefined) return;
    this.pauses.set(`${flow} ${node}`, { flow, node, by, at, until: undefined });
  }

  async resume({ flow, node }: Pick<ScheduleId, 'flow' | 'node'>, at: number): Promise<void> {
    const before = this.pauses.get(`${flow} ${node}`);
    if (before?.until === undefined && before) this.pauses.set(`${flow} ${node}`, { ...before, until: at });
  }

  private lastOf({ flow, node, pattern }: ScheduleId): number | undefined {
    const row = this.rows.get(`${flow} ${node}`);
    return row?.pattern === pattern ? row.last : undefined;
  }
}
