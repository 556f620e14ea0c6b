import { useQuery } from '@tanstack/react-query';
import { PackageOpen } from 'lucide-react';
import { listKinds } from '../api/connections.ts';
import { ListScreen } from '../lists/ListScreen.tsx';
import { catalogQuery } from '../session/open-flow.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { packageList } from './package-list.tsx';
import { PackageDetails } from './PackageDetails.tsx';

/** The npm packages that bring operators: what each one brings, what it may reach, and what is wrong with it. */
export function PackagesScreen() {
  // A server that has started again may have other operators than those that this tab knows.
  const catalog = useQuery({ ...catalogQuery, staleTime: 0 });
  const kinds = useQuery({
    queryKey: ['connection-kinds'],
    queryFn: listKinds,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const titles = new Map(kinds.data?.map(({ kind, title }) => [kind as string, title]));
  const list = packageList((one) => (
    <PackageDetails
      package={one}
      operators={catalog.data?.operators ?? {}}
      kindTitle={(kind) => titles.get(kind) ?? kind}
    />
  ));
  return (
    <ListScreen list={list} empty={<NoPackages />}>
      <HowToChange />
    </ListScreen>
  );
}

const code = 'rounded bg-surface-3 px-1 font-mono text-[0.92em] whitespace-nowrap';

function HowToChange() {
  return (
    <p className="max-w-200 text-xs text-text-2">
      <code className={code}>weft add &lt;name&gt;</code> in the folder of the server adds a package,{' '}
      <code className={code}>weft remove &lt;name&gt;</code> takes one out; then restart the server. The code
      of a package runs as a part of the server, without a sandbox: add only packages whose authors you trust.
    </p>
  );
}

function NoPackages() {
  return (
    <EmptyState
      icon={PackageOpen}
      title="No packages yet"
      steps={[
        'Find an npm package whose authors you trust.',
        'Add it in the folder of the server, and restart the server.',
        'Its operators are in the picker of every flow.',
      ]}
    />
  );
}
