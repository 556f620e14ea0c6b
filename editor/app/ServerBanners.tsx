import { Banner } from '../ui/Banner.tsx';
import { useServer } from '../session/app-context.tsx';

/** What the server has to say about itself, above every view: nobody here has done it. */
export function ServerBanners() {
  const lost = useServer((state) => state.session?.lost) ?? [];
  const elsewhere = useServer((state) => state.session?.schedulesElsewhere);
  return (
    <>
      {lost.length > 0 && <Banner tone="bad">Data of this server are lost. {lost.join(' ')}</Banner>}
      {elsewhere !== undefined && <Banner tone="warn">{elsewhere}</Banner>}
    </>
  );
}
