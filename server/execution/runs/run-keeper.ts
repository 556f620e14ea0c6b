import type { RecordedRun, Run } from '#engine';
import type { RunSummary } from '#shared/run-event.ts';
import type { RunRequest } from '../../flows/service/run-request.ts';
import type { Redactor } from '../../base/secrets/redactor.ts';
import { createValueRoom, RunValues } from '../history/blobs/run-values.ts';
import { HistoryWriter } from '../history/history-writer.ts';
import type { RecordedEvent } from '../history/recorded-event.ts';
import { isRecorded, tapeText } from '../history/replay/tape-text.ts';

/**
 * The most characters per second of large values of runs that were not started by hand, because serializing them delays
 * everything else.
 */
const VALUES_PER_SECOND = 16 * 1024 * 1024;

export interface KeptDeps {
  readonly run: Run;
  readonly request: RunRequest;
}

/** Hands runs to the history with the data beside their events: large values, and the recordings for a replay. */
export class RunKeeper {
  private readonly writer: HistoryWriter;
  private readonly redactor: Redactor | undefined;
  private readonly room;
  private readonly wideRoom;

  constructor(deps: ConstructorParameters<typeof HistoryWriter>[0] & { redactor?: Redactor | undefined }) {
    this.writer = new HistoryWriter(deps);
    this.redactor = deps.redactor;
    this.room = createValueRoom(VALUES_PER_SECOND, deps.host.now);
    this.wideRoom = createValueRoom(Number.POSITIVE_INFINITY, deps.host.now);
  }

  /** Runs that the history could not store completely. */
  get dropped(): number {
    return this.writer.dropped;
  }

  /** Large values of which only the beginning could be stored, and recordings that could not be stored. */
  get lost(): number {
    return this.writer.lost + this.room.lost + this.wideRoom.lost;
  }

  /** The collector of large values for a run that starts or continues. */
  valuesOf({ record }: Pick<RunRequest, 'record'>): RunValues {
    return new RunValues(record === 'full' ? this.wideRoom : this.room);
  }

  /** False if there is no room for the events. */
  keep({ run, request }: KeptDeps, events: readonly RecordedEvent[], beside: RunValues | undefined): boolean {
    const { id, flow, startedAt } = run;
    const values = beside?.takeNew() ?? [];
    const tape = isRecorded(run) && run.outcome !== undefined ? this.tapeOf(run, request) : undefined;
    return this.writer.events({
      run: id,
      flow,
      startedAt,
      events,
      ...(values.length > 0 && { values }),
      ...(tape !== undefined && { tape }),
    });
  }

  line(summary: RunSummary): void {
    this.writer.line(summary);
  }

  flush(): Promise<void> {
    return this.writer.flush();
  }

  private tapeOf(run: RecordedRun, request: RunRequest): string | undefined {
    const text = tapeText(run, request, request.masks ?? this.redactor);
    if (text === undefined) this.writer.lost++;
    return text;
  }
}
