import { useQuery } from '@tanstack/react-query';
import { diffFlows } from '#engine/edit';
import type { FlowVersion } from '#shared/api.ts';
import type { Flow } from '#shared/flow.ts';
import { getVersionText } from '../api/flows.ts';
import { listVersions } from '../api/versions.ts';
import { changeWords, groupChanges } from '../model/document/group-changes.ts';
import { useSync } from '../session/session.tsx';
import { NOW } from './show-version.ts';

/** The versions of the open flow, newest first; reloaded when another one goes live. */
export function useVersions() {
  const id = useSync((sync) => sync.record.id);
  const live = useSync((sync) => sync.record.version);
  return useQuery({ queryKey: ['versions', id, live], queryFn: () => listVersions(id) });
}

/** The number of a version; undefined until the list is loaded. */
export function numberOf(version: string, all: readonly FlowVersion[]): number | undefined {
  return all.find((one) => one.version === version)?.number;
}

/** The name of a version: its label, else its number; a version without one by the start of its hash. */
export function versionName(version: string, all: readonly FlowVersion[]): string {
  if (version === NOW) return 'the flow as edited here';
  return all.find((one) => one.version === version)?.label ?? versionNumber(version, all);
}

/** `v7`. */
export function versionNumber(version: string, all: readonly FlowVersion[]): string {
  const number = numberOf(version, all);
  return number === undefined ? version.slice(0, 8) : `v${number}`;
}

/** The one owner is whoever looks; the name says which browser or key it was. */
export function authorName({ actor, author }: FlowVersion): string {
  if (actor?.kind === 'owner') return 'you';
  return actor?.kind === 'file' ? 'a change of the file' : author;
}

/** The changes of a version in a few words; undefined for the first one, and until its texts are loaded. Texts never change. */
export function useChangeWords(
  flow: string,
  version: string,
  before: string | undefined,
): string | undefined {
  const { data } = useQuery({
    queryKey: ['version-changes', flow, before, version],
    enabled: before !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => {
      const [was, is] = await Promise.all(
        [before ?? '', version].map(async (one) => JSON.parse(await getVersionText(flow, one)) as Flow),
      );
      return changeWords(groupChanges(diffFlows(was as Flow, is as Flow)));
    },
  });
  return data;
}
