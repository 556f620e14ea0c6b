import type { Plan } from '#engine';
import { maskHidden } from '../../base/secrets/hidden-fields.ts';
import type { Redactor } from '../../base/secrets/redactor.ts';
import type { RunRequest } from '../../flows/service/run-request.ts';
import type { Untrusted } from '../../base/secrets/store.ts';

/**
 * Facts about runs in progress that other parts need; the hub stores them. Most runs have no mark and cost nothing
 * here.
 */
export class RunMarks {
  /** Runs that get no secret that could be sent outside. */
  readonly untrusted = new Map<string, Untrusted>();
  /** Redactors of runs that hide more than secrets. */
  readonly hidden = new Map<string, Redactor>();
  private readonly give: (run: string, files: readonly string[]) => void;

  /** `give` assigns files to a run at once. */
  constructor(give: (run: string, files: readonly string[]) => void = () => {}) {
    this.give = give;
  }

  /**
   * The request with a redactor for its hidden values and those of the run that it is a part of. `redactor` masks
   * secrets.
   */
  masked<R extends RunRequest>(plan: Plan, request: R, redactor: Redactor | undefined): R {
    const above = this.hidden.size === 0 ? undefined : this.hidden.get(request.part?.parent.id ?? '');
    if (!plan.hidesFields && above === undefined) return request;
    return { ...request, masks: maskHidden(plan, request, above ?? redactor) };
  }

  /** Call it before the run's first node starts. */
  hold(id: string, { untrusted, masks, files }: RunRequest): void {
    if (files !== undefined) this.give(id, files);
    if (untrusted !== undefined) this.untrusted.set(id, untrusted);
    if (masks !== undefined) this.hidden.set(id, masks);
  }

  drop(id: string, { untrusted, masks }: RunRequest): void {
    if (untrusted !== undefined) this.untrusted.delete(id);
    if (masks !== undefined) this.hidden.delete(id);
  }
}
