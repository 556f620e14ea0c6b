import type { ServiceLines } from './lines.ts';

/** The session and the window of a browser, which stand in the item if the node does not name them. */
const WINDOW = '/sessions/{sessionId??$}/windows/{windowId??$}';
const OF_WINDOW = 'sessionId: {{sessionId??$}}, windowId: {{windowId??$}}';
const EXTRACTED = `{ ${OF_WINDOW}, ...(string({{additionalFields.parseJsonOutput??}}) == "true" && string({{additionalFields.outputSchema??}}).startsWith("{") ? { output: json(one.data.modelResponse) } : one) }`;
const SCOPED = 'configuration.visualAnalysis.scope=additionalFields.visualScope';
const NAVIGATING =
  'waitForNavigation=additionalFields.waitForNavigation|set configuration.waitForNavigationConfig.waitUntil=additionalFields.waitForNavigation';
const OWN = '~sessionMode ~autoTerminateSession';

/** Services of sales, of offices and of those who look after customers. */
export const businessServices: Readonly<Record<string, ServiceLines>> = {
  airtop: {
    credential: 'airtopApi',
    first: ['session', 'create'],
    firsts: { extraction: 'getPaginated', interaction: 'click', window: 'create', file: 'getMany' },
    address: 'https://api.airtop.ai/api/v1',
    difference:
      'A session that a node makes for itself is left to its own time limit if the node fails. As a tool it gives the whole answer. ',
    operations: {
      'session.save':
        'PUT /sessions/{sessionId??$}/save-profile-on-termination/{profileName} -> { sessionId: {{sessionId??$}}, profileName: {{profileName}} }',
      'session.terminate': 'DELETE /sessions/{sessionId??$} -> { success: true }',
      'window.create': `POST /sessions/{sessionId??$}/windows url waitUntil=additionalFields.waitUntil -> { sessionId: {{sessionId??$}}, windowId: one.data.windowId, ...one }`,
      'window.load': `POST ${WINDOW} url waitUntil=additionalFields.waitUntil -> { ${OF_WINDOW}, ...one }`,
      'window.getLiveView': `GET ${WINDOW} includeNavigationBar=additionalFields.includeNavigationBar screenResolution=additionalFields.screenResolution disableResize=additionalFields.disableResize -> { ${OF_WINDOW}, ...one }`,
      'window.list': 'GET /sessions/{sessionId??$}/windows -> { sessionId: {{sessionId??$}}, ...one }',
      'window.takeScreenshot': `POST ${WINDOW}/screenshot :json -> { ${OF_WINDOW}, image: one?.meta?.screenshots?.[0]?.dataUrl }`,
      'window.close': `DELETE ${WINDOW} -> { ${OF_WINDOW}, ...one }`,
      'interaction.click': `POST ${WINDOW}/click elementDescription configuration.clickType=clickType??"click" ${SCOPED} ${NAVIGATING} -> { ${OF_WINDOW}, ...one }`,
      'interaction.hover': `POST ${WINDOW}/hover elementDescription ${SCOPED} -> { ${OF_WINDOW}, ...one }`,
      'interaction.type': `POST ${WINDOW}/type text pressEnterKey elementDescription ${SCOPED} ${NAVIGATING} -> { ${OF_WINDOW}, ...one }`,
      'extraction.query': `POST ${WINDOW}/page-query ${OWN} prompt configuration.experimental.includeVisualAnalysis=additionalFields.includeVisualAnalysis??false|enabled configuration.outputSchema=additionalFields.outputSchema -> ${EXTRACTED}`,
      'extraction.getPaginated': `POST ${WINDOW}/paginated-extraction ${OWN} prompt configuration.paginationMode=additionalFields.paginationMode configuration.interactionMode=additionalFields.interactionMode configuration.outputSchema=additionalFields.outputSchema -> ${EXTRACTED}`,
      'extraction.scrape': `POST ${WINDOW}/scrape-content ${OWN} :json -> { ${OF_WINDOW}, ...one }`,
      'file.getMany':
        'GET /files sessionIds limit=@10<=100 -> {{outputSingleItem??}} == false ? one.data.files : one',
      'file.deleteFile': 'DELETE /files/{fileId}',
    },
  },
};
