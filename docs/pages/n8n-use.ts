/**
 * The 95 types of nodes that most of 8,848 public workflows of n8n have, with the share of these workflows in percent, counted in November 2026:
 * `b:` stands for n8n-nodes-base, `l:` for @n8n/n8n-nodes-langchain.
 */
const COUNTED = `
b:httpRequest 49.53 b:code 49.21 b:set 49.05 b:if 41.23 l:agent 31.39 b:googleSheets 28.18 b:scheduleTrigger 24.98 b:manualTrigger 24.32
l:lmChatOpenAi 22.90 b:merge 18.96 b:webhook 18.30 b:gmail 18.18 b:splitInBatches 16.67 b:wait 14.78 l:outputParserStructured 14.41 b:switch 12.75
b:telegram 12.47 b:splitOut 12.08 l:openAi 11.81 b:slack 11.30 b:googleDrive 10.74 l:memoryBufferWindow 9.84 b:aggregate 9.29 b:formTrigger 9.27
b:noOp 9.06 b:respondToWebhook 8.82 l:lmChatGoogleGemini 8.69 l:chainLlm 8.35 b:filter 8.17 l:chatTrigger 7.02 b:telegramTrigger 6.60
b:executeWorkflowTrigger 6.41 b:airtable 6.19 b:extractFromFile 5.71 b:emailSend 4.72 l:lmChatOpenRouter 4.44 b:convertToFile 3.89 b:function 3.47
l:documentDefaultDataLoader 3.38 b:executeWorkflow 3.29 b:gmailTrigger 3.28 b:limit 3.18 b:notion 3.18 l:embeddingsOpenAi 3.14 l:mcpTrigger 3.07
b:html 3.06 b:postgres 3.00 l:toolWorkflow 2.81 b:cron 2.69 b:httpRequestTool 2.48 b:errorTrigger 2.46 b:googleDriveTrigger 2.38 b:googleSheetsTool
2.34 l:lmChatAnthropic 2.25 l:textSplitterRecursiveCharacterTextSplitter 2.24 l:informationExtractor 2.17 b:googleSheetsTrigger 1.99 b:markdown 1.99
b:googleDocs 1.97 b:googleCalendar 1.97 l:googleGemini 1.93 l:toolThink 1.91 b:rssFeedRead 1.73 b:whatsApp 1.63 b:hubspot 1.60 b:supabase 1.56
b:gmailTool 1.54 b:n8n 1.51 b:readWriteFile 1.48 b:stopAndError 1.46 b:form 1.45 l:vectorStorePinecone 1.41 b:dataTable 1.39 b:openAi 1.38 b:discord
1.37 b:removeDuplicates 1.33 l:lmChatAzureOpenAi 1.33 l:textClassifier 1.31 l:toolCalculator 1.30 b:googleCalendarTool 1.25 l:mcpClientTool 1.23
l:outputParserAutofixing 1.20 b:summarize 1.20 b:twitter 1.15 b:linkedIn 1.15 b:github 1.15 b:sort 1.14 b:wordpress 1.11 b:whatsAppTrigger 1.06
l:vectorStoreSupabase 1.05 b:facebookGraphApi 1.05 b:youTube 1.03 l:memoryPostgresChat 0.99 b:microsoftOutlook 0.98 l:toolHttpRequest 0.93
`;

/** The type without its package, and the share. */
export const mostUsed: readonly (readonly [kind: string, share: number])[] = [
  ...COUNTED.matchAll(/(\S+)\s+([\d.]+)/g),
].map(([, type = '', share]) => [type.replace(/^[bl]:/, ''), Number(share)]);
