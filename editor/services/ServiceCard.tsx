import { Link } from '@tanstack/react-router';
import { Plug, Trash2 } from 'lucide-react';
import type { OperatorInfo } from '#shared/catalog.ts';
import type { ServiceInfo } from '#shared/service-api.ts';
import { Button } from '../ui/Button.tsx';
import { countText } from '../ui/format.ts';
import { IconButton } from '../ui/IconButton.tsx';
import { operatorIcon } from '../ui/operator-icon.ts';

interface ServiceCardProps {
  service: ServiceInfo;
  calls: readonly ServiceInfo['calls'][number][];
  infoOf(type: string): OperatorInfo | undefined;
  onConnect(): void;
  onRemove(): void;
}

/** A service in the gallery, with what it can do. */
export function ServiceCard({ service, calls, infoOf, onConnect, onRemove }: ServiceCardProps) {
  const { title, doc, color, isShipped, triggers } = service;
  const Icon = operatorIcon(infoOf(calls[0]?.type ?? ''));
  const isCalled = triggers.some(({ type }) => infoOf(type)?.called !== undefined);
  return (
    <article
      aria-label={title}
      className="flex h-full flex-col gap-2 rounded-lg border border-line bg-surface p-3"
    >
      <div className="flex items-start gap-2.5">
        <span
          className="inline-flex size-8 shrink-0 items-center justify-center rounded-md text-white"
          style={{ backgroundColor: color }}
        >
          <Icon aria-hidden className="size-4" />
        </span>
        <div className="min-w-0 flex-1">
          <h2 className="font-medium">{title}</h2>
          <p className="text-xs text-text-2">{doc}</p>
        </div>
        {!isShipped && <IconButton icon={Trash2} label={`Remove ${title}`} onClick={onRemove} />}
      </div>
      <details className="text-xs">
        <summary className="cursor-pointer text-text-2">{countText(calls.length, 'operator')}</summary>
        <ul className="mt-1.5 flex max-h-64 flex-col gap-1.5 overflow-y-auto">
          {calls.map(({ type, title: what, doc: more }) => (
            <li key={type}>
              <span className="block font-medium">{what}</span>
              <span className="block text-text-2">{more}</span>
            </li>
          ))}
        </ul>
      </details>
      <Foot service={service} isCalled={isCalled} onConnect={onConnect} />
    </article>
  );
}

interface FootProps extends Pick<ServiceCardProps, 'service' | 'onConnect'> {
  /** Whether it has triggers that it calls. */
  isCalled: boolean;
}

/** The links that lead on from a service. */
function Foot({ service: { id, title, connect, source, page, isShipped }, isCalled, onConnect }: FootProps) {
  const needsConnection = connect.some(({ kind }) => kind !== 'none');
  return (
    <div className="mt-auto flex flex-wrap items-center gap-x-3 gap-y-1 text-xs">
      {needsConnection && (
        <Button icon={Plug} onClick={onConnect}>
          Connect
        </Button>
      )}
      {page !== undefined && page.startsWith('https://') && (
        <a
          className="text-accent underline"
          href={page}
          target="_blank"
          rel="noreferrer noopener"
          aria-label={`Documentation of ${title}`}
        >
          Documentation
        </a>
      )}
      {isCalled && (
        <Link
          to="/webhooks"
          search={{ service: id }}
          className="text-accent underline"
          aria-label={`Webhooks of ${title}`}
        >
          Webhooks
        </Link>
      )}
      <span
        className="ml-auto whitespace-nowrap text-right text-text-2"
        title={`Described on ${source.date}`}
      >
        {isShipped ? 'Comes with Weft' : `Added ${source.date}`}
      </span>
    </div>
  );
}
