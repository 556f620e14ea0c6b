import { useQuery } from '@tanstack/react-query';
import { getNameUse } from '../api/flow-list.ts';
import { countText } from '../ui/format.ts';
import { Spinner } from '../ui/Spinner.tsx';
import { FlowLink } from './links.tsx';

interface Used {
  readonly id: string;
  readonly name?: string | undefined;
}

/** More are counted. */
const MOST = 10;

/** Before a deletion: the flows that use it, by their names. */
export function UsedBy({ flows }: { flows: readonly Used[] | undefined }) {
  return (
    <section aria-label="Used by" className="mt-2 rounded-md border border-line p-3">
      <h3 className="text-xs font-medium text-text-2">Used by</h3>
      {flows === undefined ? <Spinner label="Looking for flows that use it" /> : <Flows flows={flows} />}
    </section>
  );
}

function Flows({ flows }: { flows: readonly Used[] }) {
  if (flows.length === 0) return <p>No flow uses it.</p>;
  return (
    <>
      <ul className="mt-1">
        {flows.slice(0, MOST).map(({ id, name }) => (
          <li key={id}>
            <FlowLink id={id} name={name || id} />
          </li>
        ))}
        {flows.length > MOST && <li>and {countText(flows.length - MOST, 'other flow')}</li>}
      </ul>
      <p className="mt-1 text-text-2">Their runs fail until there is one of this name again.</p>
    </>
  );
}

/** The same for a secret or a variable, whose flows are looked up. */
export function NameUsedBy({ of, name }: { of: 'secrets' | 'variables'; name: string }) {
  const use = useQuery({
    queryKey: ['name-use', of, name],
    gcTime: 0,
    queryFn: () => getNameUse(of, name),
  });
  if (use.isError) return <p className="text-bad">Who uses it could not be found: {use.error.message}</p>;
  return <UsedBy flows={use.data?.flows} />;
}
