import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { OperatorInfo } from '#shared/catalog.ts';
import type { ServiceInfo } from '#shared/service-api.ts';
import { listServices, removeService } from '../api/services.ts';
import { HomePage } from '../session/HomePage.tsx';
import { Loaded } from '../session/Loaded.tsx';
import { catalogQuery } from '../session/open-flow.ts';
import { useChange } from '../session/use-change.ts';
import { Button } from '../ui/Button.tsx';
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx';
import { countText } from '../ui/format.ts';
import { SearchInput } from '../ui/SearchInput.tsx';
import { foundIn } from './found-in.ts';
import { ServiceCard } from './ServiceCard.tsx';

const AddService = lazy(() => import('./AddService.tsx').then((file) => ({ default: file.AddService })));
const ConnectService = lazy(() =>
  import('./ConnectService.tsx').then((file) => ({ default: file.ConnectService })),
);

/** The open dialog. */
type Asked =
  | { readonly kind: 'add' }
  | { readonly kind: 'connect' | 'remove'; readonly service: ServiceInfo };

/** The services that flows can use, found by what somebody wants to do. */
export function ServicesScreen() {
  const services = useQuery({ queryKey: ['services'], queryFn: listServices });
  const catalog = useQuery(catalogQuery);
  const [words, setWords] = useState('');
  const [asked, setAsked] = useState<Asked>();
  const close = (): void => setAsked(undefined);
  return (
    <HomePage
      title="Services"
      count={services.data && countText(services.data.length, 'service')}
      actions={
        <Button variant="primary" icon={Plus} onClick={() => setAsked({ kind: 'add' })}>
          Add a service
        </Button>
      }
    >
      <SearchInput
        className="max-w-120"
        label="What do you want to do? Send a message, read rows…"
        value={words}
        onValueChange={setWords}
      />
      <Loaded query={services} what="the services">
        {(all) => (
          <Gallery
            found={foundIn(all, words)}
            drawingOf={(type) => catalog.data?.operators[type]}
            onConnect={(service) => setAsked({ kind: 'connect', service })}
            onRemove={(service) => setAsked({ kind: 'remove', service })}
          />
        )}
      </Loaded>
      <Suspense fallback={null}>
        {asked?.kind === 'add' && <AddService onClose={close} />}
        {asked?.kind === 'connect' && <ConnectService service={asked.service} onClose={close} />}
      </Suspense>
      {asked?.kind === 'remove' && <RemoveService service={asked.service} onClose={close} />}
    </HomePage>
  );
}

interface GalleryProps {
  found: ReturnType<typeof foundIn>;
  drawingOf(type: string): OperatorInfo | undefined;
  onConnect(service: ServiceInfo): void;
  onRemove(service: ServiceInfo): void;
}

function Gallery({ found, drawingOf, onConnect, onRemove }: GalleryProps) {
  if (found.length === 0)
    return (
      <p role="status" className="text-text-2">
        No service does that. Add one from the description of its API (OpenAPI).
      </p>
    );
  return (
    <ul className="grid grid-cols-1 gap-3 lg:grid-cols-2 xl:grid-cols-3">
      {found.map(({ service, calls }) => (
        <li key={service.id}>
          <ServiceCard
            service={service}
            calls={calls}
            infoOf={drawingOf}
            onConnect={() => onConnect(service)}
            onRemove={() => onRemove(service)}
          />
        </li>
      ))}
    </ul>
  );
}

function RemoveService({ service: { id, title }, onClose }: { service: ServiceInfo; onClose(): void }) {
  const { busy, error, change } = useChange(['services', 'catalog', 'flows'], onClose);
  return (
    <ConfirmDialog
      title={`Remove the service “${title}”?`}
      description="Live flows keep using it until they are published again. Its connections stay."
      action="Remove"
      busy={busy}
      error={error}
      onConfirm={() => void change(() => removeService(id))}
      onClose={onClose}
    />
  );
}
