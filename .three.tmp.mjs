import { build } from 'vite';
import { brotliCompressSync } from 'node:zlib';
import { readFileSync } from 'node:fs';
const root = process.cwd();
const P=f=>root+'/editor/'+f;
const { output } = await build({ configFile: root+'/vite.config.ts', root: root+'/editor', logLevel:'error', build: { write:false, minify:false, cssMinify:false, reportCompressedSize:false } }).then(r=>Array.isArray(r)?r[0]:r);
const chunks=Object.fromEntries(output.filter(o=>o.type==='chunk').map(c=>[c.fileName,c]));
const of=s=>Object.values(chunks).find(c=>c.facadeModuleId===P(s)).fileName;
const closure=(srcs,dyn=false,skip=[])=>{const mods=new Set(),seen=new Set(skip);const go=f=>{if(seen.has(f)||!chunks[f])return;seen.add(f);for(const m of Object.keys(chunks[f].modules))mods.add(m);chunks[f].imports.forEach(go);if(dyn)chunks[f].dynamicImports.forEach(go)};srcs.forEach(go);return mods};
const main=closure([of('index.html')]), schemas=closure([of('api/schemas.ts')]), H=closure([of('flows/FlowsScreen.tsx')]), E=closure([of('app/EditorRoute.tsx')]);
const R=closure([of('index.html')],true,[of('app/EditorRoute.tsx')]);
const Rh=closure([of('index.html')],true,[of('flows/FlowsScreen.tsx')]);
const base=new Set([...main,...[...H].filter(m=>E.has(m))]);
const sch=new Set([...schemas].filter(m=>!base.has(m)));
const rest=[...E].filter(m=>!base.has(m)&&!sch.has(m));
const own=new Set(rest.filter(m=>!R.has(m))), sh=new Set(rest.filter(m=>R.has(m)));
const hrest=[...H].filter(m=>!base.has(m)&&!sch.has(m)); const flows=new Set(hrest.filter(m=>!Rh.has(m)));
console.log({main:main.size,base:base.size,schemas:sch.size,own:own.size,shared:sh.size,flows:flows.size,hshared:hrest.length-flows.size});
console.log([...sh].map(m=>m.replace(root,'').replace(/.*node_modules/,'nm')).join(' '));
const mode=process.argv[2];
const groups=[{name:'base',test:id=>base.has(id),priority:10},{name:'schemas',test:id=>sch.has(id),priority:9},{name:'flows',test:id=>flows.has(id),priority:9},{name:'canvas',test:id=>own.has(id),priority:9},
 ...(mode==='shared'?[{name:'shared',test:id=>sh.has(id),priority:8}]:mode==='aware'?[{name:'shared',test:id=>sh.has(id),priority:8,entriesAware:true,entriesAwareMergeThreshold:+process.argv[3]}]:[]),
 { name: 'icons', test: /lucide-react/, minShareCount: 2, priority: 1 }];
await build({ configFile: root+'/vite.config.ts', root: root+'/editor', logLevel:'error', plugins:[{name:'y',configResolved(c){ c.build.rolldownOptions.output.codeSplitting.groups=groups; c.build.rolldownOptions.output.codeSplitting.includeDependenciesRecursively=false; }}], build:{outDir:'/tmp/speedtools/out2',emptyOutDir:true}});
const out='/tmp/speedtools/out2'; const man=JSON.parse(readFileSync(out+'/.vite/manifest.json'));
const key=n=>man[n]?n:Object.keys(man).find(k=>man[k].name===n);
const set=src=>{const files=new Set(),seen=new Set();const f=k=>{if(seen.has(k))return;seen.add(k);const c=man[k];if(!c)throw k;files.add(c.file);for(const n of c.imports??[])f(n)};src.map(key).filter(Boolean).forEach(f);return [...files]};
const sz=l=>l.reduce((a,f)=>a+brotliCompressSync(readFileSync(out+'/'+f)).length,0)/1000;
for(const [n,s] of [['home',['index.html','flows','flows/FlowsScreen.tsx','schemas']],['editor',['index.html','canvas','app/EditorRoute.tsx','schemas']],['runs',['history/HistoryScreen.tsx','index.html','schemas']],['chat',['chat/ChatScreen.tsx','index.html','schemas']]]){const l=set(s);console.log(n,l.length,sz(l));if(n==='editor')console.log(l.map(f=>f+' '+sz([f])).join('\n'))}
