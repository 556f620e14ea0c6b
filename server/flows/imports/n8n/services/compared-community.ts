import { client, openApi, own, type Compared } from './described-by.ts';

const klickTipp = own('KlickTipp', 'github.com/klicktipp/n8n-community-node-klicktipp', '2026-07-07');
const oneShot = own('1Shot', 'github.com/UXlySoftware/n8n-nodes-1shot', '2025-08-13');
const customJs = own('CustomJS', 'github.com/customjs/n8n-nodes-pdf-toolkit', '2026-01-17');

/** With what nodes of the community were compared, by their whole type. */
export const comparedCommunity: Readonly<Record<string, Compared>> = {
  'n8n-nodes-serpapi.serpApi': client('SerpApi', 'github.com/serpapi/n8n-nodes-serpapi', '2026-03-26'),
  '@decodo/n8n-nodes-decodo.decodo': client('Decodo', 'github.com/Decodo/n8n-nodes-decodo', '2025-10-31'),
  '@blotato/n8n-nodes-blotato.blotato': client(
    'Blotato',
    'github.com/Blotato-Inc/n8n-nodes-blotato',
    '2026-01-29',
  ),
  '@apify/n8n-nodes-apify.apify': openApi('Apify', 'github.com/apify/apify-docs', '2026-08-07'),
  '@mendable/n8n-nodes-firecrawl.firecrawl': openApi(
    'Firecrawl',
    'github.com/firecrawl/firecrawl-docs, version 1',
    '2026-08-21',
  ),
  '@tavily/n8n-nodes-tavily.tavily': {
    ...client('Tavily', 'github.com/tavily-ai/tavily-python', '2026-06-10'),
    except: ['search.query'],
  },
  'n8n-nodes-scrapegraphai.scrapegraphAi': client(
    'ScrapeGraphAI',
    'github.com/ScrapeGraphAI/scrapegraph-sdk',
    '2025-12-26',
  ),
  '@brightdata/n8n-nodes-brightdata.brightData': client(
    'Bright Data',
    'github.com/brightdata/sdk-python',
    '2026-06-22',
  ),
  '@elevenlabs/n8n-nodes-elevenlabs.elevenLabs': openApi(
    'ElevenLabs',
    'github.com/elevenlabs/elevenlabs-docs',
    '2025-08-25',
  ),
  'n8n-nodes-evolution-api.evolutionApi': {
    ...openApi('Evolution API', 'github.com/EvolutionAPI/docs-evolution, version 2', '2026-02-19'),
    except: ['messages-api.send-image'],
  },
  'n8n-nodes-htmlcsstopdf.htmlcsstopdf': own('PDF Munk', 'n8n-nodes-htmlcsstopdf', 'version 3.2.9'),
  'n8n-nodes-htmlcsstoimage.htmlCssToImage': own(
    'HTML/CSS to Image',
    'n8n-nodes-htmlcsstoimage',
    'version 0.3.1',
  ),
  'n8n-nodes-verifiemail.verifiEmail': own(
    'VerifiEmail',
    'github.com/verifi-email/verifi-email-n8n-node',
    '2026-03-21',
  ),
  'n8n-nodes-klicktipp.klicktipp': klickTipp,
  'CUSTOM.klicktipp': klickTipp,
  'n8n-nodes-upload-post.uploadPost': own('Upload-Post', 'n8n-nodes-upload-post', 'version 0.1.32'),
  '@gotohuman/n8n-nodes-gotohuman.gotoHuman': own(
    'gotoHuman',
    'github.com/gotohuman/n8n-nodes-gotohuman',
    '2026-05-19',
  ),
  'n8n-nodes-postiz.postiz': own('Postiz', 'n8n-nodes-postiz', 'version 1 of its interface'),
  'n8n-nodes-aimlapi.aimlApi': own('AI/ML API', 'github.com/D1m7asis/n8n-nodes-aimlapi', '2026-01-12'),
  'n8n-nodes-browseract.browserAct': own(
    'BrowserAct',
    'github.com/browseract-ai/n8n-nodes-browseract',
    '2026-07-29',
  ),
  'n8n-nodes-browseract-workflows.browserAct': openApi('BrowserAct', 'docs.browseract.com', 'version 2'),
  'n8n-nodes-1shot.oneShot': oneShot,
  'n8n-nodes-1shot.oneShotSynch': oneShot,
  'n8n-nodes-scrapeless.scrapeless': own(
    'Scrapeless',
    'github.com/scrapeless-ai/n8n-nodes-scrapeless',
    '2026-08-05',
  ),
  '@exploriumai/n8n-nodes-explorium-ai.exploriumApiNode': own(
    'Explorium',
    'github.com/explorium-ai/n8n-nodes-explorium-api',
    '2026-01-15',
  ),
  '@brave/n8n-nodes-brave-search.braveSearch': own(
    'Brave Search',
    'github.com/brave/n8n-nodes-brave-search',
    '2026-08-05',
  ),
  '@scrapeops/n8n-nodes-scrapeops.ScrapeOps': own(
    'ScrapeOps',
    'github.com/ScrapeOps/n8n-community-node',
    '2025-12-05',
  ),
  '@vlm-run/n8n-nodes-vlmrun.vlmRun': own('VLM Run', 'github.com/vlm-run/n8n-nodes-vlmrun', '2026-01-22'),
  '@firefliesai/n8n-nodes-fireflies.fireflies': own(
    'Fireflies',
    'github.com/firefliesai/n8n-nodes-fireflies',
    '2026-03-25',
  ),
  '@custom-js/n8n-nodes-pdf-toolkit.html2Pdf': customJs,
  '@custom-js/n8n-nodes-pdf-toolkit.Html2Docx': customJs,
  '@custom-js/n8n-nodes-pdf-toolkit.CompressPDF': customJs,
  '@custom-js/n8n-nodes-pdf-toolkit.PdfToPng': customJs,
  '@custom-js/n8n-nodes-pdf-toolkit.PdfToText': customJs,
  '@custom-js/n8n-nodes-pdf-toolkit.websiteScreenshot': customJs,
  'n8n-nodes-brightdata.brightData': {
    ...own('Bright Data', 'github.com/n8nhackers/n8n-nodes-brightdata', '2025-05-23'),
    with: 'the node for Bright Data of n8nhackers',
  },
  '@easysoftware/n8n-nodes-easy-redmine.easyRedmine': own(
    'Easy Redmine',
    'github.com/easysoftware/n8n-nodes-easy-redmine',
    '2026-03-05',
  ),
  'n8n-nodes-dart.dart': own('Dart', 'n8n-nodes-dart', 'version 0.2.7'),
  'n8n-nodes-qdrant.qdrant': own('Qdrant', 'github.com/qdrant/n8n-nodes-qdrant', '2026-07-21'),
  '@bedrijfsdatanl/n8n-nodes-prospectpro.prospectpro': own(
    'ProspectPro',
    'github.com/ocjanssen/n8n-nodes-prospectpro',
    '2025-08-17',
  ),
  '@bedrijfsdatanl/n8n-nodes-bedrijfsdata.bedrijfsdata': own(
    'Bedrijfsdata.nl',
    'github.com/ocjanssen/n8n-nodes-bedrijfsdata',
    '2025-08-24',
  ),
  '@aldinokemal2104/n8n-nodes-gowa.gowa': own('GOWA', 'github.com/aldinokemal/n8n-node-gowa', '2026-04-02'),
  'n8n-nodes-supadata.supadata': own('Supadata', 'github.com/supadata-ai/n8n-nodes-supadata', '2026-02-24'),
  'n8n-nodes-templated.templated': own('Templated', 'n8n-nodes-templated', 'version 0.4.5'),
  'n8n-nodes-craftmypdf.craftMyPdf': own(
    'CraftMyPDF',
    'github.com/CraftMyPDF/n8n-nodes-craftmypdf',
    '2026-03-18',
  ),
  'n8n-nodes-dataforseo.dataForSeo': own(
    'DataForSEO',
    'github.com/dataforseo/n8n-nodes-dataforseo',
    '2026-04-21',
  ),
  'n8n-nodes-google-search-console.googleSearchConsole': {
    ...own('Google Search Console', 'github.com/mrazari/n8n-nodes-google-search-console', '2025-09-27'),
    with: 'the node for Google Search Console of mrazari',
  },
  'n8n-nodes-contextualai.contextualAi': own(
    'Contextual AI',
    'github.com/ContextualAI/n8n-nodes-contextualai',
    '2026-03-23',
  ),
  '@postpulse/n8n-nodes-postpulse.postPulse': own(
    'PostPulse',
    'github.com/PostPulse/n8n-postpulse-node',
    '2026-04-17',
  ),
  'n8n-nodes-octavehq.octave': own('Octave', 'github.com/octavehq/octave-n8n', 'commit 133c56c'),
  'n8n-nodes-sleeper.sleeper': {
    ...own('Sleeper', 'github.com/christopherjnelson/n8n-nodes-sleeper', '2026-10-03'),
    with: 'the node for Sleeper of C. J. Nelson',
  },
  '@zerobounce/n8n-nodes-zerobounce.zeroBounce': own(
    'ZeroBounce',
    'github.com/zerobounce/n8n-nodes-zerobounce',
    '2026-06-29',
  ),
  'n8n-nodes-sinergiacrm.sinergiaCrm': own(
    'SinergiaCRM',
    'github.com/Tecnologia-Solidaria/n8n-nodes-sinergiacrm',
    '2026-08-20',
  ),
  'n8n-nodes-pdfco.PDFco Api': own('PDF.co', 'github.com/pdfdotco/n8n-nodes-pdfco', '2026-07-24'),
  'n8n-nodes-connectsafely-ai.connectSafelyLinkedIn': own(
    'ConnectSafely',
    'github.com/ConnectSafelyAI/n8n-nodes-connectsafely-ai',
    '2025-12-11',
  ),
};
