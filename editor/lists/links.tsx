import { Link } from '@tanstack/react-router';
import { isValidElement } from 'react';
import { tapLine } from '../ui/styles.ts';

const link = `block truncate hover:text-accent hover:underline ${tapLine}`;

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

/** The connection that a row uses. */
export function ConnectionLink({ name }: { name: string }) {
  return (
    <Link to="/connections" search={{ open: name }} title={name} className={`${link} font-mono`}>
      {name}
    </Link>
  );
}

/** Facts as pairs, for the details beside a list: texts, other values as JSON, or elements. */
export function Facts({ facts }: { facts: Readonly<Record<string, unknown>> }) {
  return (
    <dl className="mt-3 grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-1.5 text-xs">
      {Object.entries(facts).map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-text-2">{name}</dt>
          <dd className="wrap-anywhere">
            <bdi>{isValidElement(value) || typeof value === 'string' ? value : JSON.stringify(value)}</bdi>
          </dd>
        </div>
      ))}
    </dl>
  );
}
