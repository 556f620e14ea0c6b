import { CircleX, Database, ExternalLink, FileText, Globe, type LucideIcon, Server } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Catalog } from '#shared/catalog.ts';
import type { Package, PackageProblem, PackageReach } from '#shared/package-api.ts';
import { Badge } from '../ui/Badge.tsx';
import { OperatorIcon } from '../ui/OperatorIcon.tsx';
import { ProseText } from '../ui/ProseText.tsx';
import { sectionTitle } from '../ui/styles.ts';
import { useRemedy } from '../ui/use-remedy.ts';

interface PackageDetailsProps {
  package: Package;
  /** The operators of the server, by their types. */
  operators: Catalog['operators'];
  kindTitle(kind: string): string;
}

/** Everything that is known of one package: its problems, its operators, and what they may reach. */
export function PackageDetails({ package: one, operators, kindTitle }: PackageDetailsProps) {
  const { name, version, description, homepage, problems } = one;
  return (
    <div className="mt-2 flex flex-col gap-3">
      {description !== undefined && <p className="text-text-2 wrap-anywhere">{description}</p>}
      {homepage !== undefined && (
        <a
          href={homepage}
          target="_blank"
          rel="noreferrer"
          aria-label={`Website of ${name}`}
          className="inline-flex items-center gap-1 self-start rounded-sm text-xs text-accent hover:underline"
        >
          <ExternalLink aria-hidden className="size-3.5" />
          Website
        </a>
      )}
      {problems.length > 0 && (
        <ul aria-label={`Problems of ${name}`} className="flex flex-col gap-1.5">
          {problems.map((problem) => (
            <ProblemLine key={`${problem.code} ${problem.file ?? ''}`} problem={problem} />
          ))}
        </ul>
      )}
      {version !== undefined && (
        <>
          <Part title="Operators">
            <OperatorChips types={one.operators} operators={operators} />
          </Part>
          <Part title="May reach">
            <Reach reach={one.reach} kindTitle={kindTitle} />
          </Part>
        </>
      )}
    </div>
  );
}

function ProblemLine({ problem: { code, file, message } }: { problem: PackageProblem }) {
  const remedy = useRemedy(code);
  return (
    <li className="flex items-start gap-2 rounded-md bg-bad-soft px-2.5 py-2 text-xs">
      <CircleX aria-hidden className="mt-px size-4 shrink-0 text-bad" />
      <div className="flex min-w-0 flex-1 flex-col gap-0.5">
        <span className="font-medium wrap-anywhere whitespace-pre-line text-bad">
          {file !== undefined && <span className="font-mono">{file}: </span>}
          {message}
        </span>
        <span>
          <code className="font-mono">{code}</code>
          {remedy !== undefined && (
            <>
              {': '}
              <ProseText text={remedy} />
            </>
          )}
        </span>
      </div>
    </li>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title} className="flex min-w-0 flex-col gap-1.5">
      <h3 className={sectionTitle}>{title}</h3>
      {children}
    </section>
  );
}

function OperatorChips({ types, operators }: { types: readonly string[]; operators: Catalog['operators'] }) {
  if (types.length === 0) return <p className="text-text-2">None that works.</p>;
  return (
    <ul className="flex flex-col gap-1.5">
      {types.map((type) => {
        const info = operators[type];
        return (
          <li key={type} className="flex items-start gap-2">
            <OperatorIcon info={info} />
            <span className="min-w-0 flex-1">
              <span className="flex flex-wrap items-baseline gap-x-2 leading-4.5">
                {info !== undefined && <span className="font-medium">{info.title}</span>}
                <code className="font-mono text-[11px] wrap-anywhere text-text-2">{type}</code>
              </span>
              {info !== undefined && (
                <span className="block text-[11px] leading-4 text-text-2">
                  <ProseText text={info.doc} />
                </span>
              )}
            </span>
          </li>
        );
      })}
    </ul>
  );
}

const SERVICE_WORDS: Readonly<Record<PackageReach['services'][number], string>> = {
  flows: 'other flows',
  models: 'models',
  agents: 'agents',
  code: 'code in the sandbox',
  waits: 'questions to people',
};

function Reach({ reach, kindTitle }: { reach: PackageReach; kindTitle(kind: string): string }) {
  const { hosts, connections, files, services } = reach;
  const isNothing = hosts.length + connections.length + services.length === 0 && !files;
  if (isNothing) return <p className="text-text-2">No host, connection or file.</p>;
  return (
    <ul className="flex flex-col gap-1.5">
      {hosts.length > 0 && (
        <ReachLine icon={Globe} what="Requests to">
          {hosts.includes('*') ? (
            <Badge tone="warn">any host</Badge>
          ) : (
            hosts.map((host) => (
              <code key={host} className="font-mono text-xs wrap-anywhere">
                {host}
              </code>
            ))
          )}
        </ReachLine>
      )}
      {connections.length > 0 && (
        <ReachLine icon={Database} what="Connections, where granted">
          {connections.map((kind) => (
            <Badge key={kind}>{kindTitle(kind)}</Badge>
          ))}
        </ReachLine>
      )}
      {files && <ReachLine icon={FileText} what="Files of its runs, and named folders" />}
      {services.length > 0 && (
        <ReachLine icon={Server} what="Parts of the server">
          {services.map((service) => (
            <Badge key={service}>{SERVICE_WORDS[service]}</Badge>
          ))}
        </ReachLine>
      )}
    </ul>
  );
}

function ReachLine({ icon: Icon, what, children }: { icon: LucideIcon; what: string; children?: ReactNode }) {
  return (
    <li className="flex items-start gap-2">
      <Icon aria-hidden className="mt-0.5 size-4 shrink-0 text-text-2" />
      <span className="flex min-w-0 flex-1 flex-wrap items-center gap-x-2 gap-y-1">
        <span>{what}</span>
        {children}
      </span>
    </li>
  );
}
