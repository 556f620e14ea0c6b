import { useQuery } from '@tanstack/react-query';
import { type ComponentProps, type FormEvent, useEffect, useMemo, useRef, useState } from 'react';
import { formatPath, parsePath } from '#engine/check';
import { type FindTexts, replaced } from '#engine/edit';
import type { Catalog } from '#shared/catalog.ts';
import { withoutDirectionMarks } from '#shared/direction-marks.ts';
import type { TextHit, TextWish } from '#shared/find-text.ts';
import { searchFlows } from '../api/flow-search.ts';
import { loadCatalog } from '../api/flows.ts';
import { settingName } from '../model/document/setting-name.ts';
import { catalogQuery } from '../session/open-flow.ts';
import { Button } from '../ui/Button.tsx';
import { Dialog } from '../ui/Dialog.tsx';
import { countText } from '../ui/format.ts';
import { type Hit, HitList, turned } from './HitList.tsx';
import { type FoundFlow, type Outcome, replaceInFlows } from './replace-in-flows.ts';
import { useFinder } from './use-finder.ts';
import { EMPTY_WISH, WishForm } from './WishForm.tsx';

interface Found {
  readonly flows: readonly FoundFlow[];
  readonly searched: number;
  readonly of: number;
  /** Where the search goes on. */
  readonly next: string | undefined;
}

/** Flows that are shown before somebody asks for more. */
const MOST_FLOWS = 200;

/** Finds and replaces texts in all flows, as drafts. */
export function ReplaceInFlows({ onClose }: { onClose(): void }) {
  const [wish, setWish] = useState<TextWish>(EMPTY_WISH);
  const [by, setBy] = useState('');
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [error, setError] = useState<string>();
  const finder = useFinder(wish);
  const search = useSearch(wish, setError);
  const { found } = search;
  const { data: catalog } = useQuery(catalogQuery);
  const hits = useMemo(() => hitsOf(found?.flows ?? [], catalog, finder, by), [found, catalog, finder, by]);
  const chosen = hits.filter(({ key }) => !left.has(key));
  const { busy, outcomes, replace } = useReplacing(search, setError);
  const flows = new Set(chosen.map(({ flow }) => flow)).size;
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      size="lg"
      focusField
      title="Find and replace in all flows"
      description="Changes are written into drafts; what is live stays as it is until you publish. Notes on the canvas are not searched here."
      footer={
        <>
          <span role="status" className="mr-auto self-center text-xs text-text-2">
            {found && progressText(found, hits.length)}
          </span>
          <Button onClick={onClose}>Close</Button>
          <Button disabled={typeof finder !== 'function'} busy={search.busy} onClick={() => search.start()}>
            Search
          </Button>
          <Button
            variant="primary"
            busy={busy}
            disabled={chosen.length === 0}
            onClick={() => typeof finder === 'function' && replace(chosen, { find: finder, by })}
          >
            Replace in {countText(flows, 'flow')}
          </Button>
        </>
      }
    >
      <SearchForm
        wish={wish}
        by={by}
        onWish={setWish}
        onBy={setBy}
        error={typeof finder === 'string' ? finder : error}
        onSearch={() => typeof finder === 'function' && search.start()}
      />
      <Outcomes outcomes={outcomes} />
      <HitList label="Found" hits={hits} left={left} onTurn={(key) => setLeft(turned(left, key))} />
      {found?.next !== undefined && !search.busy && (
        <Button size="sm" onClick={search.more}>
          Search the other flows
        </Button>
      )}
    </Dialog>
  );
}

/** Enter searches. */
function SearchForm({ onSearch, ...form }: ComponentProps<typeof WishForm> & { onSearch(): void }) {
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onSearch();
  };
  return (
    <form onSubmit={submit}>
      <WishForm {...form} />
      <button type="submit" hidden aria-hidden tabIndex={-1} />
    </form>
  );
}

/** Writes the chosen texts into drafts, and reports the outcome of each flow. */
function useReplacing(search: ReturnType<typeof useSearch>, onError: (error: string | undefined) => void) {
  const [outcomes, setOutcomes] = useState<readonly Outcome[]>([]);
  const [busy, setBusy] = useState(false);
  const run = async (hits: readonly FlowHit[], { find, by }: { find: FindTexts; by: string }) => {
    setBusy(true);
    setOutcomes([]);
    try {
      const replacing = { find, by, catalog: await loadCatalog(), paths: pathsOf(hits) };
      await replaceInFlows(search.found?.flows ?? [], replacing, (outcome) =>
        setOutcomes((all) => [...all, outcome]),
      );
      search.clear();
    } catch (error) {
      onError(error instanceof Error ? error.message : String(error));
    } finally {
      setBusy(false);
    }
  };
  return { outcomes, busy, replace: (...of: Parameters<typeof run>) => void run(...of) };
}

function progressText({ searched, of, flows }: Found, hits: number): string {
  const seen = `${searched.toLocaleString('en')} of ${countText(of, 'flow')} searched`;
  return `${seen}: ${countText(hits, 'text')} in ${countText(flows.length, 'flow')}.`;
}

/** The search, which goes on page by page until enough is found; another wish ends it. */
function useSearch(wish: TextWish, onError: (error: string | undefined) => void) {
  const [found, setFound] = useState<Found>();
  const [busy, setBusy] = useState(false);
  const current = useRef(0);
  useEffect(() => {
    current.current++;
    setFound(undefined);
    setBusy(false);
    onError(undefined);
  }, [wish, onError]);
  const run = async (begun: Found | undefined): Promise<void> => {
    const mine = ++current.current;
    const most = (begun?.flows.length ?? 0) + MOST_FLOWS;
    setBusy(true);
    onError(undefined);
    let at = begun ?? { flows: [], searched: 0, of: 0, next: undefined };
    try {
      do {
        const page = await searchFlows({ ...wish, ...(at.next !== undefined && { after: at.next }) });
        if (mine !== current.current) return;
        const flows = [...at.flows, ...page.flows];
        at = { flows, searched: at.searched + page.searched, of: page.of, next: page.next };
        setFound(at);
      } while (at.next !== undefined && at.flows.length < most);
    } catch (error) {
      if (mine === current.current) onError(error instanceof Error ? error.message : String(error));
    }
    if (mine === current.current) setBusy(false);
  };
  return {
    found,
    busy,
    start: () => void run(undefined),
    more: () => void run(found),
    clear: () => setFound(undefined),
  };
}

interface FlowHit extends Hit {
  readonly flow: string;
  readonly path: string;
}

function hitsOf(
  flows: readonly FoundFlow[],
  catalog: Catalog | undefined,
  find: FindTexts | string | undefined,
  by: string,
): FlowHit[] {
  if (typeof find !== 'function') return [];
  return flows.flatMap(({ id, name = id, hits }) =>
    hits.map((hit) => ({
      key: `${id} ${hit.path}`,
      flow: id,
      path: hit.path,
      title: withoutDirectionMarks(name),
      place: placeOf(hit, catalog),
      before: hit.text,
      after: replaced(hit.text, find(hit.text, by)),
    })),
  );
}

/** `Say hello › Template`; of the flow itself: `name`. */
function placeOf(
  { path, node, nodeName = '', operator = '' }: TextHit,
  catalog: Catalog | undefined,
): string {
  const parts = parsePath(path) ?? [];
  if (node === undefined) return path;
  const within = formatPath(parts.slice(parts.lastIndexOf(node) + 1));
  return `${withoutDirectionMarks(nodeName)} › ${settingName(within, catalog?.operators[operator])}`;
}

function pathsOf(hits: readonly FlowHit[]): ReadonlyMap<string, ReadonlySet<string>> {
  const groups = Map.groupBy(hits, ({ flow }) => flow);
  return new Map([...groups].map(([flow, all]) => [flow, new Set(all.map(({ path }) => path))]));
}

/** The outcome of each flow: those that were refused first. */
function Outcomes({ outcomes }: { outcomes: readonly Outcome[] }) {
  if (outcomes.length === 0) return null;
  const refused = outcomes.filter(({ result }) => typeof result === 'string');
  const done = outcomes.length - refused.length;
  return (
    <div role="status" className="mt-2 rounded-md bg-surface-2 px-3 py-2 text-xs">
      <p>{countText(done, 'draft')} changed.</p>
      {refused.map(({ id, name, result }) => (
        <p key={id} className="text-bad">
          <bdi className="font-medium">{name}</bdi>: {result}
        </p>
      ))}
    </div>
  );
}
