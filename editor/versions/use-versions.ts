import { useQuery } from '@tanstack/react-query';
import type { FlowVersion } from '#shared/api.ts';
import { listVersions } from '../api/versions.ts';
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

/** The name of a version: its label, or the start of its hash. */
export function versionName(version: string, all: readonly FlowVersion[]): string {
  if (version === NOW) return 'the flow as edited here';
  return all.find((one) => one.version === version)?.label ?? version.slice(0, 8);
}
