import type { FlowNode } from '#shared/flow.ts';
import { ChevronRight } from 'lucide-react';
import { Suspense, useSyncExternalStore } from 'react';
import { useForm } from '../form/form-context.tsx';
import { openIn } from '../form/form-view.ts';
import { measureText } from '#shared/setting-words.ts';
import { nodeIn } from '../model/document/flat.ts';
import { useEditor } from '../session/session.tsx';
import { cx } from '../ui/cx.ts';
import { BehaviourFields } from './parts.ts';

/** The name under which the form remembers that the section is open. */
export const BEHAVIOUR = '#behaviour';
/** The fields of it; a problem of one opens it. */
export const BEHAVIOUR_FIELDS: readonly string[] = [
  'each',
  'onError',
  'fallback',
  'retry',
  'timeoutMs',
  'id',
  'description',
  'disabled',
  'cache',
];

const WHAT = 'Errors, retries, limits, caching';

/** How the node runs, whatever it does: errors, retries, limits, caching, items. Closed, with what is set in one line. */
export function Behaviour({ id }: { id: string }) {
  const { view, problemsAt } = useForm();
  const said = useEditor((state) => behaviourText(nodeIn(state.doc.flow, id)));
  const isWrong = useEditor(() => BEHAVIOUR_FIELDS.some((field) => problemsAt(field, true).length > 0));
  const isOpened = useSyncExternalStore(
    view?.subscribe ?? never,
    () => view?.getState().opened.has(BEHAVIOUR) ?? true,
  );
  const isOpen = isOpened || isWrong;
  return (
    <section aria-label="Behaviour" className="border-b border-line last:border-b-0">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => openIn(view, BEHAVIOUR, !isOpen)}
        className="flex w-full cursor-default items-center gap-1.5 px-3 py-2.5 text-left hover:bg-surface-2"
      >
        <ChevronRight aria-hidden className={cx('size-4 shrink-0 text-text-2', isOpen && 'rotate-90')} />
        <span className="text-xs font-medium">Behaviour</span>
        <span className="min-w-0 flex-1 truncate text-xs text-text-2" title={said || WHAT}>
          {said || WHAT}
        </span>
      </button>
      {isOpen && (
        <Suspense fallback={<div aria-busy className="h-8" />}>
          <BehaviourFields id={id} />
        </Suspense>
      )}
    </section>
  );
}

const never = () => () => undefined;

/** How a node behaves beside what its operator does, in one line: `3 attempts · 30 s · for each item`. Empty for the usual. */
function behaviourText(node: FlowNode | undefined): string {
  const { retry, timeoutMs, onError, cache, each, disabled } = node ?? {};
  const parts = [
    disabled && 'disabled',
    each && 'for each item',
    retry && `${retry.attempts} attempts`,
    timeoutMs !== undefined && `at most ${measureText(timeoutMs, 'ms')}`,
    onError === 'continue' && 'goes on with a fallback',
    onError === 'route' && 'goes on at its error output',
    cache && `reuses outputs${cache.ttlMs === undefined ? '' : ` for ${measureText(cache.ttlMs, 'ms')}`}`,
  ];
  return parts.filter(Boolean).join(' · ');
}
