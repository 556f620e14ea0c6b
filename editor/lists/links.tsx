import { Link } from '@tanstack/react-router';

const link = 'block truncate hover:text-accent hover:underline';

/** The flow that a row is about. */
export function FlowLink({ id, name }: { id: string; name: string }) {
  return (
    <Link to="/flows/$id" params={{ id }} title={name} className={link}>
      <bdi>{name}</bdi>
    </Link>
  );
}

/** The run that a row is about. */
export function RunLink({ id }: { id: string }) {
  return (
    <Link to="/runs/$id" params={{ id }} className={`${link} font-mono text-xs`}>
      {id}
    </Link>
  );
}

/** Facts as pairs, for the details beside a list. */
export function Facts({ facts }: { facts: Readonly<Record<string, unknown>> }) {
  return (
    <dl className="mt-3 grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-1.5 text-xs">
      {Object.entries(facts).map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-text-2">{name}</dt>
          <dd className="wrap-anywhere">
            <bdi>{typeof value === 'string' ? value : JSON.stringify(value)}</bdi>
          </dd>
        </div>
      ))}
    </dl>
  );
}
