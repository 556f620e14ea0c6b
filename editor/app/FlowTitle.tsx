import { Link, useSearch } from '@tanstack/react-router';
import { Fragment, type KeyboardEvent, useState } from 'react';
import { withoutDirectionMarks } from '#shared/direction-marks.ts';
import { Tooltip } from '../ui/Tooltip.tsx';
import { usePageTitle } from '../ui/use-page-title.ts';
import { Logo } from '../session/Logo.tsx';
import { useFlowNames } from '../session/use-flow-names.ts';
import { useEditor, useSession, useSync } from '../session/session.tsx';
import { cx } from '../ui/cx.ts';

/** The current location: all flows / the folder / this flow, whose name is edited in place. */
export function FlowTitle() {
  const folder = useSync((sync) => sync.record.folder);
  const { within } = useSearch({ strict: false });
  return (
    <nav aria-label="Breadcrumb" className="flex min-w-0 items-center gap-1">
      <Link to="/" aria-label="All flows" className={cx(crumb, 'shrink-0')}>
        <span className="lg:hidden">
          <Logo />
        </span>
        <span className="max-lg:hidden">Flows</span>
      </Link>
      <Slash />
      {within !== undefined && <Way within={within} />}
      {folder !== undefined && within === undefined && (
        <>
          <Link to="/" search={{ folder }} className={cx(crumb, 'max-w-40 truncate max-xl:hidden')}>
            <bdi>{withoutDirectionMarks(folder)}</bdi>
          </Link>
          <Slash className="max-xl:hidden" />
        </>
      )}
      <FlowName />
    </nav>
  );
}

/** The way back to the flows from whose calls this one was opened. */
function Way({ within }: { within: string }) {
  const nameOf = useFlowNames();
  const way = within.split(',');
  return way.map((id, at) => {
    const before = way.slice(0, at).join(',');
    return (
      <Fragment key={id}>
        <Link
          to="/flows/$id"
          params={{ id }}
          search={before === '' ? {} : { within: before }}
          className="max-w-48 truncate rounded-md px-1 font-medium text-text-2 hover:bg-surface-3 hover:text-text"
        >
          <bdi>{nameOf(id)}</bdi>
        </Link>
        <span aria-hidden className="text-line-strong">
          /
        </span>
      </Fragment>
    );
  });
}

const crumb = 'rounded-md px-1.5 py-1 text-text-2 hover:bg-surface-3 hover:text-text';

function Slash({ className }: { className?: string }) {
  return (
    <span aria-hidden className={cx('text-line-strong max-md:hidden', className)}>
      /
    </span>
  );
}

function FlowName() {
  const { editor } = useSession();
  const id = useEditor((state) => state.doc.flow.id);
  const name = useEditor((state) => state.doc.flow.name);
  const shown = withoutDirectionMarks(name ?? id);
  usePageTitle(shown);
  const [text, setText] = useState<string>();

  function finish(): void {
    const wanted = text?.trim();
    setText(undefined);
    if (wanted === undefined || wanted === (name ?? '')) return;
    editor.getState().commit('Rename the flow', (draft) => {
      if (wanted === '') delete draft.flow.name;
      else draft.flow.name = wanted;
    });
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === 'Enter') finish();
    else if (event.key === 'Escape') setText(undefined);
    else return;
    event.stopPropagation();
  }

  if (text !== undefined) {
    return (
      <input
        aria-label="Name of the flow"
        autoFocus
        value={text}
        maxLength={200}
        placeholder={id}
        onChange={(event) => setText(event.target.value)}
        onFocus={(event) => event.target.select()}
        onBlur={finish}
        onKeyDown={onKeyDown}
        className="h-7 w-64 max-w-[40vw] rounded-md border border-accent bg-surface px-1.5 font-semibold"
      />
    );
  }
  return (
    <h1 className="flex min-w-0">
      <Tooltip text={`${shown}: rename (id: ${id})`}>
        <button
          type="button"
          onClick={() => setText(name ?? '')}
          className="h-7 max-w-[min(28rem,100%)] min-w-0 truncate rounded-md px-1.5 font-semibold hover:bg-surface-3"
        >
          <bdi>{shown}</bdi>
        </button>
      </Tooltip>
    </h1>
  );
}
