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
  const { title, doc, color, isShipped, connect, source, page } = service;
  const Icon = operatorIcon(infoOf(calls[0]?.type ?? ''));
  const needsConnection = connect.some(({ kind }) => kind !== 'none');
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
      <div className="mt-auto flex items-center gap-3 text-xs">
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
        <span className="ml-auto text-right text-text-2" title={`Described on ${source.date}`}>
          {isShipped ? 'Comes with Weft' : `Added ${source.date}`}
        </span>
      </div>
    </article>
  );
}
