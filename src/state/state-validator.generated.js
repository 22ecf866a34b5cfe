// Generated from schemas/state.schema.json by `npm run generate`.
"use strict";
export const validate = validate10;
export default validate10;
const schema11 = {"$schema":"http://json-schema.org/draft-07/schema#","$id":"holdfast/state.schema.json","title":"RunState","description":"One run of a workflow: untracked/workflow-state/{slug}/state-{slug}-{YYYYMMDD_HHMMSS}.json. Keys that are not listed here are allowed and kept.","type":"object","required":["workflow","workflow_type","phase","required_reading","created_at"],"additionalProperties":true,"properties":{"workflow":{"$ref":"#/definitions/filled","description":"The workflow's name, as people say it."},"workflow_type":{"description":"Another value is read as custom and kept as written.","enum":["planning","qa-loop","implementation","custom"],"tsType":"string"},"phase":{"$ref":"#/definitions/phase"},"required_reading":{"description":"Files that must be in the agent's context, each as @path from the project root.","type":"array","items":{"type":"string","pattern":"^@\\S"}},"created_at":{"$ref":"#/definitions/time","description":"Set once, never changed."},"context":{"description":"Facts of this run: names and values.","type":"object","additionalProperties":true},"key_reminders":{"description":"Rules that must survive compaction.","type":"array","items":{"type":"string"}},"phases":{"description":"The names of all phases, in order.","type":"array","items":{"type":"string"}},"schema_version":{"const":1},"revision":{"description":"Counts the writes.","type":"integer","minimum":0},"run_id":{"$ref":"#/definitions/filled"},"updated_at":{"$ref":"#/definitions/time"},"status":{"enum":["in_progress","paused","failed","completed"]},"status_reason":{"type":"string"},"source":{"$ref":"#/definitions/source"},"adopted":{"description":"A person or an agent wrote to this run.","type":"boolean"},"todo":{"$ref":"#/definitions/todo"},"artifacts":{"description":"Named files of this run; {project_root} stands for the project's folder.","type":"object","additionalProperties":{"type":"string"}},"outputs":{"description":"What each finished phase handed on, by phase number.","type":"object","additionalProperties":{"$ref":"#/definitions/output"}},"critical_artifacts":{"description":"What must be in the agent's context; an entry with the id of a declared one changes only what it says.","type":"object","tsType":"{[k: string]: unknown}","additionalProperties":false,"properties":{"always_load":{"$ref":"#/definitions/artifacts"},"conditional_load":{"$ref":"#/definitions/artifacts"},"phase_specific":{"$ref":"#/definitions/artifacts"}}},"template":{"type":"object","additionalProperties":true},"machine":{"type":"object","additionalProperties":true},"feedback":{"description":"Why the run went back to an earlier step, each time; kept whole.","type":"array","items":{"$ref":"#/definitions/feedback"}},"sessions":{"$ref":"#/definitions/sessions"},"context_metadata":{"$ref":"#/definitions/context_metadata"}},"definitions":{"filled":{"type":"string","pattern":"\\S"},"time":{"type":"string","pattern":"^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?(Z|[+-]\\d{2}:?\\d{2})$"},"phase":{"title":"Phase","type":"object","required":["current","total","name","status"],"additionalProperties":true,"properties":{"current":{"type":"integer","minimum":0},"total":{"type":"integer","minimum":1},"name":{"type":"string"},"status":{"enum":["not_started","in_progress","completed","blocked"]}}},"output":{"title":"PhaseOutput","type":"object","additionalProperties":true,"properties":{"text":{"type":"string"},"artefacts":{"type":"array","items":{"type":"string"}}}},"source":{"title":"Source","description":"Where the run comes from, and what that said when it was last merged.","tsType":"{ [k: string]: unknown } & ({ kind: 'cli'; path?: undefined; said?: undefined } | { kind: 'template'; path?: string; said?: { [k: string]: unknown } } | { kind: 'local-file' | 'plan'; path: string; said?: { [k: string]: unknown } })","type":"object","required":["kind"],"additionalProperties":true,"properties":{"kind":{"enum":["local-file","plan","cli","template"]},"path":{"type":"string"},"said":{"type":"object","additionalProperties":true}}},"todo":{"title":"Todo","description":"The todo list that this run wrote to.","tsType":"{ [k: string]: unknown }","type":"object","required":["path","owned"],"additionalProperties":true,"properties":{"path":{"$ref":"#/definitions/filled","description":"From the project root."},"owned":{"description":"The whole content came from this run, and it may replace it.","type":"boolean"},"digest":{"description":"Of the content as holdfast left it.","type":"string"}}},"feedback":{"title":"Feedback","tsType":"unknown","type":"object","required":["from","to","tag","text","at"],"additionalProperties":true,"properties":{"from":{"$ref":"#/definitions/filled","description":"The step that was left."},"to":{"$ref":"#/definitions/filled","description":"The step it is for."},"tag":{"description":"What the guidance marks it with: BUDGET_PIVOT_FEEDBACK.","type":"string","pattern":"^[A-Z0-9_]+_PIVOT_FEEDBACK$"},"text":{"$ref":"#/definitions/filled"},"at":{"$ref":"#/definitions/time"},"session_id":{"type":"string"},"finished":{"description":"The step it was for is finished: it is no longer given.","const":true}}},"sessions":{"title":"Sessions","type":"object","additionalProperties":true,"properties":{"current_session_id":{"description":"The session that holds the run.","type":["string","null"]},"session_history":{"type":"array","items":{"$ref":"#/definitions/session_record"}}}},"session_record":{"title":"SessionRecord","type":"object","required":["session_id","started_at"],"additionalProperties":true,"properties":{"session_id":{"type":"string"},"started_at":{"$ref":"#/definitions/time"},"last_seen_at":{"$ref":"#/definitions/time"},"ended_at":{"$ref":"#/definitions/time"},"end_reason":{"type":"string"},"handed_to":{"description":"The session that took over across /clear.","type":"string"},"released_at":{"description":"The session let go of the run and is not given it again by itself.","$ref":"#/definitions/time"},"phases_completed":{"type":"array","items":{"type":"string"}},"artifacts_loaded":{"description":"What was brought into the context of this session.","type":"array","items":{"type":"string"}},"environment":{"$ref":"#/definitions/environment"}}},"environment":{"title":"Environment","type":"object","additionalProperties":true,"properties":{"hostname":{"type":"string"},"platform":{"type":"string"},"cwd":{"type":"string"},"checkout":{"description":"Tells one checkout of a project from another, without its path.","type":"string"},"claude_pid":{"description":"The process of the host, where it tells.","type":"string"},"git_commit":{"type":"string"}}},"context_metadata":{"title":"ContextMetadata","type":"object","additionalProperties":true,"properties":{"last_artifact_reload":{"$ref":"#/definitions/time"},"reload_count":{"type":"integer","minimum":0},"compaction_count":{"type":"integer","minimum":0},"artifacts_in_context":{"type":"array","items":{"$ref":"#/definitions/artifact_in_context"}}}},"artifact_in_context":{"title":"ArtifactInContext","type":"object","required":["artifact_id","loaded_at"],"additionalProperties":true,"properties":{"artifact_id":{"type":"string"},"loaded_at":{"$ref":"#/definitions/time"},"load_trigger":{"type":"string"},"digest":{"type":"string"},"change_told_at":{"$ref":"#/definitions/time"}}},"id":{"type":"string","pattern":"^[\\p{L}\\p{N}_-]{1,100}$"},"artifacts":{"type":"array","maxItems":1000,"items":{"$ref":"#/definitions/artifact"}},"artifact":{"type":"object","additionalProperties":false,"required":["id"],"properties":{"id":{"$ref":"#/definitions/id"},"type":{"enum":["json","markdown","directory","work_plugin","skill","git_info"]},"path":{"$ref":"#/definitions/filled","description":"From the project root; {project_root}, {run_id}, {plan_id} and {work_id} are filled in."},"path_from_state":{"$ref":"#/definitions/filled","description":"Where in the run's state the path stands."},"command":{"$ref":"#/definitions/filled","description":"A command for the agent; holdfast never runs it."},"description":{"$ref":"#/definitions/filled"},"required":{"type":"boolean"},"condition":{"$ref":"#/definitions/filled","description":"Loaded only where this holds, for example state.phase.current > 1."},"reload_triggers":{"type":"array","maxItems":100,"items":{"type":"string","pattern":"^(session_start|compaction|manual|phase_start:.+|phase_transition(:.+->.+)?)$"},"description":"session_start, compaction, phase_start:X, phase_transition, phase_transition:A->B, manual. Where it is left out: session_start and compaction; in phase_specific manual only."},"load_strategy":{"enum":["all","latest_only","summary"]}}}}};
const schema12 = {"type":"string","pattern":"\\S"};
const schema13 = {"title":"Phase","type":"object","required":["current","total","name","status"],"additionalProperties":true,"properties":{"current":{"type":"integer","minimum":0},"total":{"type":"integer","minimum":1},"name":{"type":"string"},"status":{"enum":["not_started","in_progress","completed","blocked"]}}};
const schema14 = {"type":"string","pattern":"^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?(Z|[+-]\\d{2}:?\\d{2})$"};
const schema17 = {"title":"Source","description":"Where the run comes from, and what that said when it was last merged.","tsType":"{ [k: string]: unknown } & ({ kind: 'cli'; path?: undefined; said?: undefined } | { kind: 'template'; path?: string; said?: { [k: string]: unknown } } | { kind: 'local-file' | 'plan'; path: string; said?: { [k: string]: unknown } })","type":"object","required":["kind"],"additionalProperties":true,"properties":{"kind":{"enum":["local-file","plan","cli","template"]},"path":{"type":"string"},"said":{"type":"object","additionalProperties":true}}};
const schema20 = {"title":"PhaseOutput","type":"object","additionalProperties":true,"properties":{"text":{"type":"string"},"artefacts":{"type":"array","items":{"type":"string"}}}};
const pattern0 = new RegExp("\\S", "u");
const pattern1 = new RegExp("^@\\S", "u");
const pattern2 = new RegExp("^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?(Z|[+-]\\d{2}:?\\d{2})$", "u");
const schema18 = {"title":"Todo","description":"The todo list that this run wrote to.","tsType":"{ [k: string]: unknown }","type":"object","required":["path","owned"],"additionalProperties":true,"properties":{"path":{"$ref":"#/definitions/filled","description":"From the project root."},"owned":{"description":"The whole content came from this run, and it may replace it.","type":"boolean"},"digest":{"description":"Of the content as holdfast left it.","type":"string"}}};

function validate11(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.path === undefined){
const err0 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "path"},message:"must have required property '"+"path"+"'"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
if(data.owned === undefined){
const err1 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "owned"},message:"must have required property '"+"owned"+"'"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
if(data.path !== undefined){
let data0 = data.path;
if(typeof data0 === "string"){
if(!pattern0.test(data0)){
const err2 = {instancePath:instancePath+"/path",schemaPath:"#/definitions/filled/pattern",keyword:"pattern",params:{pattern: "\\S"},message:"must match pattern \""+"\\S"+"\""};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
}
else {
const err3 = {instancePath:instancePath+"/path",schemaPath:"#/definitions/filled/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
}
if(data.owned !== undefined){
if(typeof data.owned !== "boolean"){
const err4 = {instancePath:instancePath+"/owned",schemaPath:"#/properties/owned/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
}
if(data.digest !== undefined){
if(typeof data.digest !== "string"){
const err5 = {instancePath:instancePath+"/digest",schemaPath:"#/properties/digest/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
}
}
else {
const err6 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
validate11.errors = vErrors;
return errors === 0;
}

const schema21 = {"type":"array","maxItems":1000,"items":{"$ref":"#/definitions/artifact"}};
const schema22 = {"type":"object","additionalProperties":false,"required":["id"],"properties":{"id":{"$ref":"#/definitions/id"},"type":{"enum":["json","markdown","directory","work_plugin","skill","git_info"]},"path":{"$ref":"#/definitions/filled","description":"From the project root; {project_root}, {run_id}, {plan_id} and {work_id} are filled in."},"path_from_state":{"$ref":"#/definitions/filled","description":"Where in the run's state the path stands."},"command":{"$ref":"#/definitions/filled","description":"A command for the agent; holdfast never runs it."},"description":{"$ref":"#/definitions/filled"},"required":{"type":"boolean"},"condition":{"$ref":"#/definitions/filled","description":"Loaded only where this holds, for example state.phase.current > 1."},"reload_triggers":{"type":"array","maxItems":100,"items":{"type":"string","pattern":"^(session_start|compaction|manual|phase_start:.+|phase_transition(:.+->.+)?)$"},"description":"session_start, compaction, phase_start:X, phase_transition, phase_transition:A->B, manual. Where it is left out: session_start and compaction; in phase_specific manual only."},"load_strategy":{"enum":["all","latest_only","summary"]}}};
const schema23 = {"type":"string","pattern":"^[\\p{L}\\p{N}_-]{1,100}$"};
const func2 = Object.prototype.hasOwnProperty;
const pattern6 = new RegExp("^[\\p{L}\\p{N}_-]{1,100}$", "u");
const pattern12 = new RegExp("^(session_start|compaction|manual|phase_start:.+|phase_transition(:.+->.+)?)$", "u");

function validate14(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.id === undefined){
const err0 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "id"},message:"must have required property '"+"id"+"'"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
for(const key0 in data){
if(!(func2.call(schema22.properties, key0))){
const err1 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
}
if(data.id !== undefined){
let data0 = data.id;
if(typeof data0 === "string"){
if(!pattern6.test(data0)){
const err2 = {instancePath:instancePath+"/id",schemaPath:"#/definitions/id/pattern",keyword:"pattern",params:{pattern: "^[\\p{L}\\p{N}_-]{1,100}$"},message:"must match pattern \""+"^[\\p{L}\\p{N}_-]{1,100}$"+"\""};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
}
else {
const err3 = {instancePath:instancePath+"/id",schemaPath:"#/definitions/id/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
}
if(data.type !== undefined){
let data1 = data.type;
if(!((((((data1 === "json") || (data1 === "markdown")) || (data1 === "directory")) || (data1 === "work_plugin")) || (data1 === "skill")) || (data1 === "git_info"))){
const err4 = {instancePath:instancePath+"/type",schemaPath:"#/properties/type/enum",keyword:"enum",params:{allowedValues: schema22.properties.type.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
}
if(data.path !== undefined){
let data2 = data.path;
if(typeof data2 === "string"){
if(!pattern0.test(data2)){
const err5 = {instancePath:instancePath+"/path",schemaPath:"#/definitions/filled/pattern",keyword:"pattern",params:{pattern: "\\S"},message:"must match pattern \""+"\\S"+"\""};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
}
else {
const err6 = {instancePath:instancePath+"/path",schemaPath:"#/definitions/filled/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
}
if(data.path_from_state !== undefined){
let data3 = data.path_from_state;
if(typeof data3 === "string"){
if(!pattern0.test(data3)){
const err7 = {instancePath:instancePath+"/path_from_state",schemaPath:"#/definitions/filled/pattern",keyword:"pattern",params:{pattern: "\\S"},message:"must match pattern \""+"\\S"+"\""};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
}
else {
const err8 = {instancePath:instancePath+"/path_from_state",schemaPath:"#/definitions/filled/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
}
if(data.command !== undefined){
let data4 = data.command;
if(typeof data4 === "string"){
if(!pattern0.test(data4)){
const err9 = {instancePath:instancePath+"/command",schemaPath:"#/definitions/filled/pattern",keyword:"pattern",params:{pattern: "\\S"},message:"must match pattern \""+"\\S"+"\""};
if(vErrors === null){
vErrors = [err9];
}
else {
vErrors.push(err9);
}
errors++;
}
}
else {
const err10 = {instancePath:instancePath+"/command",schemaPath:"#/definitions/filled/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err10];
}
else {
vErrors.push(err10);
}
errors++;
}
}
if(data.description !== undefined){
let data5 = data.description;
if(typeof data5 === "string"){
if(!pattern0.test(data5)){
const err11 = {instancePath:instancePath+"/description",schemaPath:"#/definitions/filled/pattern",keyword:"pattern",params:{pattern: "\\S"},message:"must match pattern \""+"\\S"+"\""};
if(vErrors === null){
vErrors = [err11];
}
else {
vErrors.push(err11);
}
errors++;
}
}
else {
const err12 = {instancePath:instancePath+"/description",schemaPath:"#/definitions/filled/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err12];
}
else {
vErrors.push(err12);
}
errors++;
}
}
if(data.required !== undefined){
if(typeof data.required !== "boolean"){
const err13 = {instancePath:instancePath+"/required",schemaPath:"#/properties/required/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err13];
}
else {
vErrors.push(err13);
}
errors++;
}
}
if(data.condition !== undefined){
let data7 = data.condition;
if(typeof data7 === "string"){
if(!pattern0.test(data7)){
const err14 = {instancePath:instancePath+"/condition",schemaPath:"#/definitions/filled/pattern",keyword:"pattern",params:{pattern: "\\S"},message:"must match pattern \""+"\\S"+"\""};
if(vErrors === null){
vErrors = [err14];
}
else {
vErrors.push(err14);
}
errors++;
}
}
else {
const err15 = {instancePath:instancePath+"/condition",schemaPath:"#/definitions/filled/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err15];
}
else {
vErrors.push(err15);
}
errors++;
}
}
if(data.reload_triggers !== undefined){
let data8 = data.reload_triggers;
if(Array.isArray(data8)){
if(data8.length > 100){
const err16 = {instancePath:instancePath+"/reload_triggers",schemaPath:"#/properties/reload_triggers/maxItems",keyword:"maxItems",params:{limit: 100},message:"must NOT have more than 100 items"};
if(vErrors === null){
vErrors = [err16];
}
else {
vErrors.push(err16);
}
errors++;
}
const len0 = data8.length;
for(let i0=0; i0<len0; i0++){
let data9 = data8[i0];
if(typeof data9 === "string"){
if(!pattern12.test(data9)){
const err17 = {instancePath:instancePath+"/reload_triggers/" + i0,schemaPath:"#/properties/reload_triggers/items/pattern",keyword:"pattern",params:{pattern: "^(session_start|compaction|manual|phase_start:.+|phase_transition(:.+->.+)?)$"},message:"must match pattern \""+"^(session_start|compaction|manual|phase_start:.+|phase_transition(:.+->.+)?)$"+"\""};
if(vErrors === null){
vErrors = [err17];
}
else {
vErrors.push(err17);
}
errors++;
}
}
else {
const err18 = {instancePath:instancePath+"/reload_triggers/" + i0,schemaPath:"#/properties/reload_triggers/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err18];
}
else {
vErrors.push(err18);
}
errors++;
}
}
}
else {
const err19 = {instancePath:instancePath+"/reload_triggers",schemaPath:"#/properties/reload_triggers/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err19];
}
else {
vErrors.push(err19);
}
errors++;
}
}
if(data.load_strategy !== undefined){
let data10 = data.load_strategy;
if(!(((data10 === "all") || (data10 === "latest_only")) || (data10 === "summary"))){
const err20 = {instancePath:instancePath+"/load_strategy",schemaPath:"#/properties/load_strategy/enum",keyword:"enum",params:{allowedValues: schema22.properties.load_strategy.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err20];
}
else {
vErrors.push(err20);
}
errors++;
}
}
}
else {
const err21 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err21];
}
else {
vErrors.push(err21);
}
errors++;
}
validate14.errors = vErrors;
return errors === 0;
}


function validate13(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(Array.isArray(data)){
if(data.length > 1000){
const err0 = {instancePath,schemaPath:"#/maxItems",keyword:"maxItems",params:{limit: 1000},message:"must NOT have more than 1000 items"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
const len0 = data.length;
for(let i0=0; i0<len0; i0++){
if(!(validate14(data[i0], {instancePath:instancePath+"/" + i0,parentData:data,parentDataProperty:i0,rootData}))){
vErrors = vErrors === null ? validate14.errors : vErrors.concat(validate14.errors);
errors = vErrors.length;
}
}
}
else {
const err1 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
validate13.errors = vErrors;
return errors === 0;
}

const schema29 = {"title":"Feedback","tsType":"unknown","type":"object","required":["from","to","tag","text","at"],"additionalProperties":true,"properties":{"from":{"$ref":"#/definitions/filled","description":"The step that was left."},"to":{"$ref":"#/definitions/filled","description":"The step it is for."},"tag":{"description":"What the guidance marks it with: BUDGET_PIVOT_FEEDBACK.","type":"string","pattern":"^[A-Z0-9_]+_PIVOT_FEEDBACK$"},"text":{"$ref":"#/definitions/filled"},"at":{"$ref":"#/definitions/time"},"session_id":{"type":"string"},"finished":{"description":"The step it was for is finished: it is no longer given.","const":true}}};
const pattern15 = new RegExp("^[A-Z0-9_]+_PIVOT_FEEDBACK$", "u");

function validate19(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.from === undefined){
const err0 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "from"},message:"must have required property '"+"from"+"'"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
if(data.to === undefined){
const err1 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "to"},message:"must have required property '"+"to"+"'"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
if(data.tag === undefined){
const err2 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "tag"},message:"must have required property '"+"tag"+"'"};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
if(data.text === undefined){
const err3 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "text"},message:"must have required property '"+"text"+"'"};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
if(data.at === undefined){
const err4 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "at"},message:"must have required property '"+"at"+"'"};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
if(data.from !== undefined){
let data0 = data.from;
if(typeof data0 === "string"){
if(!pattern0.test(data0)){
const err5 = {instancePath:instancePath+"/from",schemaPath:"#/definitions/filled/pattern",keyword:"pattern",params:{pattern: "\\S"},message:"must match pattern \""+"\\S"+"\""};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
}
else {
const err6 = {instancePath:instancePath+"/from",schemaPath:"#/definitions/filled/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
}
if(data.to !== undefined){
let data1 = data.to;
if(typeof data1 === "string"){
if(!pattern0.test(data1)){
const err7 = {instancePath:instancePath+"/to",schemaPath:"#/definitions/filled/pattern",keyword:"pattern",params:{pattern: "\\S"},message:"must match pattern \""+"\\S"+"\""};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
}
else {
const err8 = {instancePath:instancePath+"/to",schemaPath:"#/definitions/filled/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
}
if(data.tag !== undefined){
let data2 = data.tag;
if(typeof data2 === "string"){
if(!pattern15.test(data2)){
const err9 = {instancePath:instancePath+"/tag",schemaPath:"#/properties/tag/pattern",keyword:"pattern",params:{pattern: "^[A-Z0-9_]+_PIVOT_FEEDBACK$"},message:"must match pattern \""+"^[A-Z0-9_]+_PIVOT_FEEDBACK$"+"\""};
if(vErrors === null){
vErrors = [err9];
}
else {
vErrors.push(err9);
}
errors++;
}
}
else {
const err10 = {instancePath:instancePath+"/tag",schemaPath:"#/properties/tag/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err10];
}
else {
vErrors.push(err10);
}
errors++;
}
}
if(data.text !== undefined){
let data3 = data.text;
if(typeof data3 === "string"){
if(!pattern0.test(data3)){
const err11 = {instancePath:instancePath+"/text",schemaPath:"#/definitions/filled/pattern",keyword:"pattern",params:{pattern: "\\S"},message:"must match pattern \""+"\\S"+"\""};
if(vErrors === null){
vErrors = [err11];
}
else {
vErrors.push(err11);
}
errors++;
}
}
else {
const err12 = {instancePath:instancePath+"/text",schemaPath:"#/definitions/filled/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err12];
}
else {
vErrors.push(err12);
}
errors++;
}
}
if(data.at !== undefined){
let data4 = data.at;
if(typeof data4 === "string"){
if(!pattern2.test(data4)){
const err13 = {instancePath:instancePath+"/at",schemaPath:"#/definitions/time/pattern",keyword:"pattern",params:{pattern: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?(Z|[+-]\\d{2}:?\\d{2})$"},message:"must match pattern \""+"^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?(Z|[+-]\\d{2}:?\\d{2})$"+"\""};
if(vErrors === null){
vErrors = [err13];
}
else {
vErrors.push(err13);
}
errors++;
}
}
else {
const err14 = {instancePath:instancePath+"/at",schemaPath:"#/definitions/time/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err14];
}
else {
vErrors.push(err14);
}
errors++;
}
}
if(data.session_id !== undefined){
if(typeof data.session_id !== "string"){
const err15 = {instancePath:instancePath+"/session_id",schemaPath:"#/properties/session_id/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err15];
}
else {
vErrors.push(err15);
}
errors++;
}
}
if(data.finished !== undefined){
if(true !== data.finished){
const err16 = {instancePath:instancePath+"/finished",schemaPath:"#/properties/finished/const",keyword:"const",params:{allowedValue: true},message:"must be equal to constant"};
if(vErrors === null){
vErrors = [err16];
}
else {
vErrors.push(err16);
}
errors++;
}
}
}
else {
const err17 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err17];
}
else {
vErrors.push(err17);
}
errors++;
}
validate19.errors = vErrors;
return errors === 0;
}

const schema34 = {"title":"Sessions","type":"object","additionalProperties":true,"properties":{"current_session_id":{"description":"The session that holds the run.","type":["string","null"]},"session_history":{"type":"array","items":{"$ref":"#/definitions/session_record"}}}};
const schema35 = {"title":"SessionRecord","type":"object","required":["session_id","started_at"],"additionalProperties":true,"properties":{"session_id":{"type":"string"},"started_at":{"$ref":"#/definitions/time"},"last_seen_at":{"$ref":"#/definitions/time"},"ended_at":{"$ref":"#/definitions/time"},"end_reason":{"type":"string"},"handed_to":{"description":"The session that took over across /clear.","type":"string"},"released_at":{"description":"The session let go of the run and is not given it again by itself.","$ref":"#/definitions/time"},"phases_completed":{"type":"array","items":{"type":"string"}},"artifacts_loaded":{"description":"What was brought into the context of this session.","type":"array","items":{"type":"string"}},"environment":{"$ref":"#/definitions/environment"}}};
const schema40 = {"title":"Environment","type":"object","additionalProperties":true,"properties":{"hostname":{"type":"string"},"platform":{"type":"string"},"cwd":{"type":"string"},"checkout":{"description":"Tells one checkout of a project from another, without its path.","type":"string"},"claude_pid":{"description":"The process of the host, where it tells.","type":"string"},"git_commit":{"type":"string"}}};

function validate22(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.session_id === undefined){
const err0 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "session_id"},message:"must have required property '"+"session_id"+"'"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
if(data.started_at === undefined){
const err1 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "started_at"},message:"must have required property '"+"started_at"+"'"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
if(data.session_id !== undefined){
if(typeof data.session_id !== "string"){
const err2 = {instancePath:instancePath+"/session_id",schemaPath:"#/properties/session_id/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
}
if(data.started_at !== undefined){
let data1 = data.started_at;
if(typeof data1 === "string"){
if(!pattern2.test(data1)){
const err3 = {instancePath:instancePath+"/started_at",schemaPath:"#/definitions/time/pattern",keyword:"pattern",params:{pattern: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?(Z|[+-]\\d{2}:?\\d{2})$"},message:"must match pattern \""+"^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?(Z|[+-]\\d{2}:?\\d{2})$"+"\""};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
}
else {
const err4 = {instancePath:instancePath+"/started_at",schemaPath:"#/definitions/time/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
}
if(data.last_seen_at !== undefined){
let data2 = data.last_seen_at;
if(typeof data2 === "string"){
if(!pattern2.test(data2)){
const err5 = {instancePath:instancePath+"/last_seen_at",schemaPath:"#/definitions/time/pattern",keyword:"pattern",params:{pattern: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?(Z|[+-]\\d{2}:?\\d{2})$"},message:"must match pattern \""+"^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?(Z|[+-]\\d{2}:?\\d{2})$"+"\""};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
}
else {
const err6 = {instancePath:instancePath+"/last_seen_at",schemaPath:"#/definitions/time/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
}
if(data.ended_at !== undefined){
let data3 = data.ended_at;
if(typeof data3 === "string"){
if(!pattern2.test(data3)){
const err7 = {instancePath:instancePath+"/ended_at",schemaPath:"#/definitions/time/pattern",keyword:"pattern",params:{pattern: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?(Z|[+-]\\d{2}:?\\d{2})$"},message:"must match pattern \""+"^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?(Z|[+-]\\d{2}:?\\d{2})$"+"\""};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
}
else {
const err8 = {instancePath:instancePath+"/ended_at",schemaPath:"#/definitions/time/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
}
if(data.end_reason !== undefined){
if(typeof data.end_reason !== "string"){
const err9 = {instancePath:instancePath+"/end_reason",schemaPath:"#/properties/end_reason/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err9];
}
else {
vErrors.push(err9);
}
errors++;
}
}
if(data.handed_to !== undefined){
if(typeof data.handed_to !== "string"){
const err10 = {instancePath:instancePath+"/handed_to",schemaPath:"#/properties/handed_to/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err10];
}
else {
vErrors.push(err10);
}
errors++;
}
}
if(data.released_at !== undefined){
let data6 = data.released_at;
if(typeof data6 === "string"){
if(!pattern2.test(data6)){
const err11 = {instancePath:instancePath+"/released_at",schemaPath:"#/definitions/time/pattern",keyword:"pattern",params:{pattern: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?(Z|[+-]\\d{2}:?\\d{2})$"},message:"must match pattern \""+"^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?(Z|[+-]\\d{2}:?\\d{2})$"+"\""};
if(vErrors === null){
vErrors = [err11];
}
else {
vErrors.push(err11);
}
errors++;
}
}
else {
const err12 = {instancePath:instancePath+"/released_at",schemaPath:"#/definitions/time/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err12];
}
else {
vErrors.push(err12);
}
errors++;
}
}
if(data.phases_completed !== undefined){
let data7 = data.phases_completed;
if(Array.isArray(data7)){
const len0 = data7.length;
for(let i0=0; i0<len0; i0++){
if(typeof data7[i0] !== "string"){
const err13 = {instancePath:instancePath+"/phases_completed/" + i0,schemaPath:"#/properties/phases_completed/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err13];
}
else {
vErrors.push(err13);
}
errors++;
}
}
}
else {
const err14 = {instancePath:instancePath+"/phases_completed",schemaPath:"#/properties/phases_completed/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err14];
}
else {
vErrors.push(err14);
}
errors++;
}
}
if(data.artifacts_loaded !== undefined){
let data9 = data.artifacts_loaded;
if(Array.isArray(data9)){
const len1 = data9.length;
for(let i1=0; i1<len1; i1++){
if(typeof data9[i1] !== "string"){
const err15 = {instancePath:instancePath+"/artifacts_loaded/" + i1,schemaPath:"#/properties/artifacts_loaded/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err15];
}
else {
vErrors.push(err15);
}
errors++;
}
}
}
else {
const err16 = {instancePath:instancePath+"/artifacts_loaded",schemaPath:"#/properties/artifacts_loaded/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err16];
}
else {
vErrors.push(err16);
}
errors++;
}
}
if(data.environment !== undefined){
let data11 = data.environment;
if(data11 && typeof data11 == "object" && !Array.isArray(data11)){
if(data11.hostname !== undefined){
if(typeof data11.hostname !== "string"){
const err17 = {instancePath:instancePath+"/environment/hostname",schemaPath:"#/definitions/environment/properties/hostname/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err17];
}
else {
vErrors.push(err17);
}
errors++;
}
}
if(data11.platform !== undefined){
if(typeof data11.platform !== "string"){
const err18 = {instancePath:instancePath+"/environment/platform",schemaPath:"#/definitions/environment/properties/platform/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err18];
}
else {
vErrors.push(err18);
}
errors++;
}
}
if(data11.cwd !== undefined){
if(typeof data11.cwd !== "string"){
const err19 = {instancePath:instancePath+"/environment/cwd",schemaPath:"#/definitions/environment/properties/cwd/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err19];
}
else {
vErrors.push(err19);
}
errors++;
}
}
if(data11.checkout !== undefined){
if(typeof data11.checkout !== "string"){
const err20 = {instancePath:instancePath+"/environment/checkout",schemaPath:"#/definitions/environment/properties/checkout/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err20];
}
else {
vErrors.push(err20);
}
errors++;
}
}
if(data11.claude_pid !== undefined){
if(typeof data11.claude_pid !== "string"){
const err21 = {instancePath:instancePath+"/environment/claude_pid",schemaPath:"#/definitions/environment/properties/claude_pid/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err21];
}
else {
vErrors.push(err21);
}
errors++;
}
}
if(data11.git_commit !== undefined){
if(typeof data11.git_commit !== "string"){
const err22 = {instancePath:instancePath+"/environment/git_commit",schemaPath:"#/definitions/environment/properties/git_commit/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err22];
}
else {
vErrors.push(err22);
}
errors++;
}
}
}
else {
const err23 = {instancePath:instancePath+"/environment",schemaPath:"#/definitions/environment/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err23];
}
else {
vErrors.push(err23);
}
errors++;
}
}
}
else {
const err24 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err24];
}
else {
vErrors.push(err24);
}
errors++;
}
validate22.errors = vErrors;
return errors === 0;
}


function validate21(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.current_session_id !== undefined){
let data0 = data.current_session_id;
if((typeof data0 !== "string") && (data0 !== null)){
const err0 = {instancePath:instancePath+"/current_session_id",schemaPath:"#/properties/current_session_id/type",keyword:"type",params:{type: schema34.properties.current_session_id.type},message:"must be string,null"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
}
if(data.session_history !== undefined){
let data1 = data.session_history;
if(Array.isArray(data1)){
const len0 = data1.length;
for(let i0=0; i0<len0; i0++){
if(!(validate22(data1[i0], {instancePath:instancePath+"/session_history/" + i0,parentData:data1,parentDataProperty:i0,rootData}))){
vErrors = vErrors === null ? validate22.errors : vErrors.concat(validate22.errors);
errors = vErrors.length;
}
}
}
else {
const err1 = {instancePath:instancePath+"/session_history",schemaPath:"#/properties/session_history/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
}
}
else {
const err2 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
validate21.errors = vErrors;
return errors === 0;
}

const schema41 = {"title":"ContextMetadata","type":"object","additionalProperties":true,"properties":{"last_artifact_reload":{"$ref":"#/definitions/time"},"reload_count":{"type":"integer","minimum":0},"compaction_count":{"type":"integer","minimum":0},"artifacts_in_context":{"type":"array","items":{"$ref":"#/definitions/artifact_in_context"}}}};
const schema43 = {"title":"ArtifactInContext","type":"object","required":["artifact_id","loaded_at"],"additionalProperties":true,"properties":{"artifact_id":{"type":"string"},"loaded_at":{"$ref":"#/definitions/time"},"load_trigger":{"type":"string"},"digest":{"type":"string"},"change_told_at":{"$ref":"#/definitions/time"}}};

function validate26(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.artifact_id === undefined){
const err0 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "artifact_id"},message:"must have required property '"+"artifact_id"+"'"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
if(data.loaded_at === undefined){
const err1 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "loaded_at"},message:"must have required property '"+"loaded_at"+"'"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
if(data.artifact_id !== undefined){
if(typeof data.artifact_id !== "string"){
const err2 = {instancePath:instancePath+"/artifact_id",schemaPath:"#/properties/artifact_id/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
}
if(data.loaded_at !== undefined){
let data1 = data.loaded_at;
if(typeof data1 === "string"){
if(!pattern2.test(data1)){
const err3 = {instancePath:instancePath+"/loaded_at",schemaPath:"#/definitions/time/pattern",keyword:"pattern",params:{pattern: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?(Z|[+-]\\d{2}:?\\d{2})$"},message:"must match pattern \""+"^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?(Z|[+-]\\d{2}:?\\d{2})$"+"\""};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
}
else {
const err4 = {instancePath:instancePath+"/loaded_at",schemaPath:"#/definitions/time/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
}
if(data.load_trigger !== undefined){
if(typeof data.load_trigger !== "string"){
const err5 = {instancePath:instancePath+"/load_trigger",schemaPath:"#/properties/load_trigger/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
}
if(data.digest !== undefined){
if(typeof data.digest !== "string"){
const err6 = {instancePath:instancePath+"/digest",schemaPath:"#/properties/digest/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
}
if(data.change_told_at !== undefined){
let data4 = data.change_told_at;
if(typeof data4 === "string"){
if(!pattern2.test(data4)){
const err7 = {instancePath:instancePath+"/change_told_at",schemaPath:"#/definitions/time/pattern",keyword:"pattern",params:{pattern: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?(Z|[+-]\\d{2}:?\\d{2})$"},message:"must match pattern \""+"^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?(Z|[+-]\\d{2}:?\\d{2})$"+"\""};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
}
else {
const err8 = {instancePath:instancePath+"/change_told_at",schemaPath:"#/definitions/time/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
}
}
else {
const err9 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err9];
}
else {
vErrors.push(err9);
}
errors++;
}
validate26.errors = vErrors;
return errors === 0;
}


function validate25(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.last_artifact_reload !== undefined){
let data0 = data.last_artifact_reload;
if(typeof data0 === "string"){
if(!pattern2.test(data0)){
const err0 = {instancePath:instancePath+"/last_artifact_reload",schemaPath:"#/definitions/time/pattern",keyword:"pattern",params:{pattern: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?(Z|[+-]\\d{2}:?\\d{2})$"},message:"must match pattern \""+"^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?(Z|[+-]\\d{2}:?\\d{2})$"+"\""};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
}
else {
const err1 = {instancePath:instancePath+"/last_artifact_reload",schemaPath:"#/definitions/time/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
}
if(data.reload_count !== undefined){
let data1 = data.reload_count;
if(!(((typeof data1 == "number") && (!(data1 % 1) && !isNaN(data1))) && (isFinite(data1)))){
const err2 = {instancePath:instancePath+"/reload_count",schemaPath:"#/properties/reload_count/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
if((typeof data1 == "number") && (isFinite(data1))){
if(data1 < 0 || isNaN(data1)){
const err3 = {instancePath:instancePath+"/reload_count",schemaPath:"#/properties/reload_count/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
}
}
if(data.compaction_count !== undefined){
let data2 = data.compaction_count;
if(!(((typeof data2 == "number") && (!(data2 % 1) && !isNaN(data2))) && (isFinite(data2)))){
const err4 = {instancePath:instancePath+"/compaction_count",schemaPath:"#/properties/compaction_count/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
if((typeof data2 == "number") && (isFinite(data2))){
if(data2 < 0 || isNaN(data2)){
const err5 = {instancePath:instancePath+"/compaction_count",schemaPath:"#/properties/compaction_count/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
}
}
if(data.artifacts_in_context !== undefined){
let data3 = data.artifacts_in_context;
if(Array.isArray(data3)){
const len0 = data3.length;
for(let i0=0; i0<len0; i0++){
if(!(validate26(data3[i0], {instancePath:instancePath+"/artifacts_in_context/" + i0,parentData:data3,parentDataProperty:i0,rootData}))){
vErrors = vErrors === null ? validate26.errors : vErrors.concat(validate26.errors);
errors = vErrors.length;
}
}
}
else {
const err6 = {instancePath:instancePath+"/artifacts_in_context",schemaPath:"#/properties/artifacts_in_context/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
}
}
else {
const err7 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
validate25.errors = vErrors;
return errors === 0;
}


function validate10(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
/*# sourceURL="holdfast/state.schema.json" */;
let vErrors = null;
let errors = 0;
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.workflow === undefined){
const err0 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "workflow"},message:"must have required property '"+"workflow"+"'"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
if(data.workflow_type === undefined){
const err1 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "workflow_type"},message:"must have required property '"+"workflow_type"+"'"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
if(data.phase === undefined){
const err2 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "phase"},message:"must have required property '"+"phase"+"'"};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
if(data.required_reading === undefined){
const err3 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "required_reading"},message:"must have required property '"+"required_reading"+"'"};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
if(data.created_at === undefined){
const err4 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "created_at"},message:"must have required property '"+"created_at"+"'"};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
if(data.workflow !== undefined){
let data0 = data.workflow;
if(typeof data0 === "string"){
if(!pattern0.test(data0)){
const err5 = {instancePath:instancePath+"/workflow",schemaPath:"#/definitions/filled/pattern",keyword:"pattern",params:{pattern: "\\S"},message:"must match pattern \""+"\\S"+"\""};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
}
else {
const err6 = {instancePath:instancePath+"/workflow",schemaPath:"#/definitions/filled/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
}
if(data.workflow_type !== undefined){
let data1 = data.workflow_type;
if(!((((data1 === "planning") || (data1 === "qa-loop")) || (data1 === "implementation")) || (data1 === "custom"))){
const err7 = {instancePath:instancePath+"/workflow_type",schemaPath:"#/properties/workflow_type/enum",keyword:"enum",params:{allowedValues: schema11.properties.workflow_type.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
}
if(data.phase !== undefined){
let data2 = data.phase;
if(data2 && typeof data2 == "object" && !Array.isArray(data2)){
if(data2.current === undefined){
const err8 = {instancePath:instancePath+"/phase",schemaPath:"#/definitions/phase/required",keyword:"required",params:{missingProperty: "current"},message:"must have required property '"+"current"+"'"};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
if(data2.total === undefined){
const err9 = {instancePath:instancePath+"/phase",schemaPath:"#/definitions/phase/required",keyword:"required",params:{missingProperty: "total"},message:"must have required property '"+"total"+"'"};
if(vErrors === null){
vErrors = [err9];
}
else {
vErrors.push(err9);
}
errors++;
}
if(data2.name === undefined){
const err10 = {instancePath:instancePath+"/phase",schemaPath:"#/definitions/phase/required",keyword:"required",params:{missingProperty: "name"},message:"must have required property '"+"name"+"'"};
if(vErrors === null){
vErrors = [err10];
}
else {
vErrors.push(err10);
}
errors++;
}
if(data2.status === undefined){
const err11 = {instancePath:instancePath+"/phase",schemaPath:"#/definitions/phase/required",keyword:"required",params:{missingProperty: "status"},message:"must have required property '"+"status"+"'"};
if(vErrors === null){
vErrors = [err11];
}
else {
vErrors.push(err11);
}
errors++;
}
if(data2.current !== undefined){
let data3 = data2.current;
if(!(((typeof data3 == "number") && (!(data3 % 1) && !isNaN(data3))) && (isFinite(data3)))){
const err12 = {instancePath:instancePath+"/phase/current",schemaPath:"#/definitions/phase/properties/current/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err12];
}
else {
vErrors.push(err12);
}
errors++;
}
if((typeof data3 == "number") && (isFinite(data3))){
if(data3 < 0 || isNaN(data3)){
const err13 = {instancePath:instancePath+"/phase/current",schemaPath:"#/definitions/phase/properties/current/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err13];
}
else {
vErrors.push(err13);
}
errors++;
}
}
}
if(data2.total !== undefined){
let data4 = data2.total;
if(!(((typeof data4 == "number") && (!(data4 % 1) && !isNaN(data4))) && (isFinite(data4)))){
const err14 = {instancePath:instancePath+"/phase/total",schemaPath:"#/definitions/phase/properties/total/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err14];
}
else {
vErrors.push(err14);
}
errors++;
}
if((typeof data4 == "number") && (isFinite(data4))){
if(data4 < 1 || isNaN(data4)){
const err15 = {instancePath:instancePath+"/phase/total",schemaPath:"#/definitions/phase/properties/total/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err15];
}
else {
vErrors.push(err15);
}
errors++;
}
}
}
if(data2.name !== undefined){
if(typeof data2.name !== "string"){
const err16 = {instancePath:instancePath+"/phase/name",schemaPath:"#/definitions/phase/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err16];
}
else {
vErrors.push(err16);
}
errors++;
}
}
if(data2.status !== undefined){
let data6 = data2.status;
if(!((((data6 === "not_started") || (data6 === "in_progress")) || (data6 === "completed")) || (data6 === "blocked"))){
const err17 = {instancePath:instancePath+"/phase/status",schemaPath:"#/definitions/phase/properties/status/enum",keyword:"enum",params:{allowedValues: schema13.properties.status.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err17];
}
else {
vErrors.push(err17);
}
errors++;
}
}
}
else {
const err18 = {instancePath:instancePath+"/phase",schemaPath:"#/definitions/phase/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err18];
}
else {
vErrors.push(err18);
}
errors++;
}
}
if(data.required_reading !== undefined){
let data7 = data.required_reading;
if(Array.isArray(data7)){
const len0 = data7.length;
for(let i0=0; i0<len0; i0++){
let data8 = data7[i0];
if(typeof data8 === "string"){
if(!pattern1.test(data8)){
const err19 = {instancePath:instancePath+"/required_reading/" + i0,schemaPath:"#/properties/required_reading/items/pattern",keyword:"pattern",params:{pattern: "^@\\S"},message:"must match pattern \""+"^@\\S"+"\""};
if(vErrors === null){
vErrors = [err19];
}
else {
vErrors.push(err19);
}
errors++;
}
}
else {
const err20 = {instancePath:instancePath+"/required_reading/" + i0,schemaPath:"#/properties/required_reading/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err20];
}
else {
vErrors.push(err20);
}
errors++;
}
}
}
else {
const err21 = {instancePath:instancePath+"/required_reading",schemaPath:"#/properties/required_reading/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err21];
}
else {
vErrors.push(err21);
}
errors++;
}
}
if(data.created_at !== undefined){
let data9 = data.created_at;
if(typeof data9 === "string"){
if(!pattern2.test(data9)){
const err22 = {instancePath:instancePath+"/created_at",schemaPath:"#/definitions/time/pattern",keyword:"pattern",params:{pattern: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?(Z|[+-]\\d{2}:?\\d{2})$"},message:"must match pattern \""+"^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?(Z|[+-]\\d{2}:?\\d{2})$"+"\""};
if(vErrors === null){
vErrors = [err22];
}
else {
vErrors.push(err22);
}
errors++;
}
}
else {
const err23 = {instancePath:instancePath+"/created_at",schemaPath:"#/definitions/time/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err23];
}
else {
vErrors.push(err23);
}
errors++;
}
}
if(data.context !== undefined){
let data10 = data.context;
if(data10 && typeof data10 == "object" && !Array.isArray(data10)){
}
else {
const err24 = {instancePath:instancePath+"/context",schemaPath:"#/properties/context/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err24];
}
else {
vErrors.push(err24);
}
errors++;
}
}
if(data.key_reminders !== undefined){
let data11 = data.key_reminders;
if(Array.isArray(data11)){
const len1 = data11.length;
for(let i1=0; i1<len1; i1++){
if(typeof data11[i1] !== "string"){
const err25 = {instancePath:instancePath+"/key_reminders/" + i1,schemaPath:"#/properties/key_reminders/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err25];
}
else {
vErrors.push(err25);
}
errors++;
}
}
}
else {
const err26 = {instancePath:instancePath+"/key_reminders",schemaPath:"#/properties/key_reminders/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err26];
}
else {
vErrors.push(err26);
}
errors++;
}
}
if(data.phases !== undefined){
let data13 = data.phases;
if(Array.isArray(data13)){
const len2 = data13.length;
for(let i2=0; i2<len2; i2++){
if(typeof data13[i2] !== "string"){
const err27 = {instancePath:instancePath+"/phases/" + i2,schemaPath:"#/properties/phases/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err27];
}
else {
vErrors.push(err27);
}
errors++;
}
}
}
else {
const err28 = {instancePath:instancePath+"/phases",schemaPath:"#/properties/phases/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err28];
}
else {
vErrors.push(err28);
}
errors++;
}
}
if(data.schema_version !== undefined){
if(1 !== data.schema_version){
const err29 = {instancePath:instancePath+"/schema_version",schemaPath:"#/properties/schema_version/const",keyword:"const",params:{allowedValue: 1},message:"must be equal to constant"};
if(vErrors === null){
vErrors = [err29];
}
else {
vErrors.push(err29);
}
errors++;
}
}
if(data.revision !== undefined){
let data16 = data.revision;
if(!(((typeof data16 == "number") && (!(data16 % 1) && !isNaN(data16))) && (isFinite(data16)))){
const err30 = {instancePath:instancePath+"/revision",schemaPath:"#/properties/revision/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err30];
}
else {
vErrors.push(err30);
}
errors++;
}
if((typeof data16 == "number") && (isFinite(data16))){
if(data16 < 0 || isNaN(data16)){
const err31 = {instancePath:instancePath+"/revision",schemaPath:"#/properties/revision/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err31];
}
else {
vErrors.push(err31);
}
errors++;
}
}
}
if(data.run_id !== undefined){
let data17 = data.run_id;
if(typeof data17 === "string"){
if(!pattern0.test(data17)){
const err32 = {instancePath:instancePath+"/run_id",schemaPath:"#/definitions/filled/pattern",keyword:"pattern",params:{pattern: "\\S"},message:"must match pattern \""+"\\S"+"\""};
if(vErrors === null){
vErrors = [err32];
}
else {
vErrors.push(err32);
}
errors++;
}
}
else {
const err33 = {instancePath:instancePath+"/run_id",schemaPath:"#/definitions/filled/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err33];
}
else {
vErrors.push(err33);
}
errors++;
}
}
if(data.updated_at !== undefined){
let data18 = data.updated_at;
if(typeof data18 === "string"){
if(!pattern2.test(data18)){
const err34 = {instancePath:instancePath+"/updated_at",schemaPath:"#/definitions/time/pattern",keyword:"pattern",params:{pattern: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?(Z|[+-]\\d{2}:?\\d{2})$"},message:"must match pattern \""+"^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?(Z|[+-]\\d{2}:?\\d{2})$"+"\""};
if(vErrors === null){
vErrors = [err34];
}
else {
vErrors.push(err34);
}
errors++;
}
}
else {
const err35 = {instancePath:instancePath+"/updated_at",schemaPath:"#/definitions/time/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err35];
}
else {
vErrors.push(err35);
}
errors++;
}
}
if(data.status !== undefined){
let data19 = data.status;
if(!((((data19 === "in_progress") || (data19 === "paused")) || (data19 === "failed")) || (data19 === "completed"))){
const err36 = {instancePath:instancePath+"/status",schemaPath:"#/properties/status/enum",keyword:"enum",params:{allowedValues: schema11.properties.status.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err36];
}
else {
vErrors.push(err36);
}
errors++;
}
}
if(data.status_reason !== undefined){
if(typeof data.status_reason !== "string"){
const err37 = {instancePath:instancePath+"/status_reason",schemaPath:"#/properties/status_reason/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err37];
}
else {
vErrors.push(err37);
}
errors++;
}
}
if(data.source !== undefined){
let data21 = data.source;
if(data21 && typeof data21 == "object" && !Array.isArray(data21)){
if(data21.kind === undefined){
const err38 = {instancePath:instancePath+"/source",schemaPath:"#/definitions/source/required",keyword:"required",params:{missingProperty: "kind"},message:"must have required property '"+"kind"+"'"};
if(vErrors === null){
vErrors = [err38];
}
else {
vErrors.push(err38);
}
errors++;
}
if(data21.kind !== undefined){
let data22 = data21.kind;
if(!((((data22 === "local-file") || (data22 === "plan")) || (data22 === "cli")) || (data22 === "template"))){
const err39 = {instancePath:instancePath+"/source/kind",schemaPath:"#/definitions/source/properties/kind/enum",keyword:"enum",params:{allowedValues: schema17.properties.kind.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err39];
}
else {
vErrors.push(err39);
}
errors++;
}
}
if(data21.path !== undefined){
if(typeof data21.path !== "string"){
const err40 = {instancePath:instancePath+"/source/path",schemaPath:"#/definitions/source/properties/path/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err40];
}
else {
vErrors.push(err40);
}
errors++;
}
}
if(data21.said !== undefined){
let data24 = data21.said;
if(data24 && typeof data24 == "object" && !Array.isArray(data24)){
}
else {
const err41 = {instancePath:instancePath+"/source/said",schemaPath:"#/definitions/source/properties/said/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err41];
}
else {
vErrors.push(err41);
}
errors++;
}
}
}
else {
const err42 = {instancePath:instancePath+"/source",schemaPath:"#/definitions/source/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err42];
}
else {
vErrors.push(err42);
}
errors++;
}
}
if(data.adopted !== undefined){
if(typeof data.adopted !== "boolean"){
const err43 = {instancePath:instancePath+"/adopted",schemaPath:"#/properties/adopted/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err43];
}
else {
vErrors.push(err43);
}
errors++;
}
}
if(data.todo !== undefined){
if(!(validate11(data.todo, {instancePath:instancePath+"/todo",parentData:data,parentDataProperty:"todo",rootData}))){
vErrors = vErrors === null ? validate11.errors : vErrors.concat(validate11.errors);
errors = vErrors.length;
}
}
if(data.artifacts !== undefined){
let data27 = data.artifacts;
if(data27 && typeof data27 == "object" && !Array.isArray(data27)){
for(const key0 in data27){
if(typeof data27[key0] !== "string"){
const err44 = {instancePath:instancePath+"/artifacts/" + key0.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/artifacts/additionalProperties/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err44];
}
else {
vErrors.push(err44);
}
errors++;
}
}
}
else {
const err45 = {instancePath:instancePath+"/artifacts",schemaPath:"#/properties/artifacts/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err45];
}
else {
vErrors.push(err45);
}
errors++;
}
}
if(data.outputs !== undefined){
let data29 = data.outputs;
if(data29 && typeof data29 == "object" && !Array.isArray(data29)){
for(const key1 in data29){
let data30 = data29[key1];
if(data30 && typeof data30 == "object" && !Array.isArray(data30)){
if(data30.text !== undefined){
if(typeof data30.text !== "string"){
const err46 = {instancePath:instancePath+"/outputs/" + key1.replace(/~/g, "~0").replace(/\//g, "~1")+"/text",schemaPath:"#/definitions/output/properties/text/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err46];
}
else {
vErrors.push(err46);
}
errors++;
}
}
if(data30.artefacts !== undefined){
let data32 = data30.artefacts;
if(Array.isArray(data32)){
const len3 = data32.length;
for(let i3=0; i3<len3; i3++){
if(typeof data32[i3] !== "string"){
const err47 = {instancePath:instancePath+"/outputs/" + key1.replace(/~/g, "~0").replace(/\//g, "~1")+"/artefacts/" + i3,schemaPath:"#/definitions/output/properties/artefacts/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err47];
}
else {
vErrors.push(err47);
}
errors++;
}
}
}
else {
const err48 = {instancePath:instancePath+"/outputs/" + key1.replace(/~/g, "~0").replace(/\//g, "~1")+"/artefacts",schemaPath:"#/definitions/output/properties/artefacts/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err48];
}
else {
vErrors.push(err48);
}
errors++;
}
}
}
else {
const err49 = {instancePath:instancePath+"/outputs/" + key1.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/definitions/output/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err49];
}
else {
vErrors.push(err49);
}
errors++;
}
}
}
else {
const err50 = {instancePath:instancePath+"/outputs",schemaPath:"#/properties/outputs/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err50];
}
else {
vErrors.push(err50);
}
errors++;
}
}
if(data.critical_artifacts !== undefined){
let data34 = data.critical_artifacts;
if(data34 && typeof data34 == "object" && !Array.isArray(data34)){
for(const key2 in data34){
if(!(((key2 === "always_load") || (key2 === "conditional_load")) || (key2 === "phase_specific"))){
const err51 = {instancePath:instancePath+"/critical_artifacts",schemaPath:"#/properties/critical_artifacts/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key2},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err51];
}
else {
vErrors.push(err51);
}
errors++;
}
}
if(data34.always_load !== undefined){
if(!(validate13(data34.always_load, {instancePath:instancePath+"/critical_artifacts/always_load",parentData:data34,parentDataProperty:"always_load",rootData}))){
vErrors = vErrors === null ? validate13.errors : vErrors.concat(validate13.errors);
errors = vErrors.length;
}
}
if(data34.conditional_load !== undefined){
if(!(validate13(data34.conditional_load, {instancePath:instancePath+"/critical_artifacts/conditional_load",parentData:data34,parentDataProperty:"conditional_load",rootData}))){
vErrors = vErrors === null ? validate13.errors : vErrors.concat(validate13.errors);
errors = vErrors.length;
}
}
if(data34.phase_specific !== undefined){
if(!(validate13(data34.phase_specific, {instancePath:instancePath+"/critical_artifacts/phase_specific",parentData:data34,parentDataProperty:"phase_specific",rootData}))){
vErrors = vErrors === null ? validate13.errors : vErrors.concat(validate13.errors);
errors = vErrors.length;
}
}
}
else {
const err52 = {instancePath:instancePath+"/critical_artifacts",schemaPath:"#/properties/critical_artifacts/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err52];
}
else {
vErrors.push(err52);
}
errors++;
}
}
if(data.template !== undefined){
let data38 = data.template;
if(data38 && typeof data38 == "object" && !Array.isArray(data38)){
}
else {
const err53 = {instancePath:instancePath+"/template",schemaPath:"#/properties/template/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err53];
}
else {
vErrors.push(err53);
}
errors++;
}
}
if(data.machine !== undefined){
let data39 = data.machine;
if(data39 && typeof data39 == "object" && !Array.isArray(data39)){
}
else {
const err54 = {instancePath:instancePath+"/machine",schemaPath:"#/properties/machine/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err54];
}
else {
vErrors.push(err54);
}
errors++;
}
}
if(data.feedback !== undefined){
let data40 = data.feedback;
if(Array.isArray(data40)){
const len4 = data40.length;
for(let i4=0; i4<len4; i4++){
if(!(validate19(data40[i4], {instancePath:instancePath+"/feedback/" + i4,parentData:data40,parentDataProperty:i4,rootData}))){
vErrors = vErrors === null ? validate19.errors : vErrors.concat(validate19.errors);
errors = vErrors.length;
}
}
}
else {
const err55 = {instancePath:instancePath+"/feedback",schemaPath:"#/properties/feedback/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err55];
}
else {
vErrors.push(err55);
}
errors++;
}
}
if(data.sessions !== undefined){
if(!(validate21(data.sessions, {instancePath:instancePath+"/sessions",parentData:data,parentDataProperty:"sessions",rootData}))){
vErrors = vErrors === null ? validate21.errors : vErrors.concat(validate21.errors);
errors = vErrors.length;
}
}
if(data.context_metadata !== undefined){
if(!(validate25(data.context_metadata, {instancePath:instancePath+"/context_metadata",parentData:data,parentDataProperty:"context_metadata",rootData}))){
vErrors = vErrors === null ? validate25.errors : vErrors.concat(validate25.errors);
errors = vErrors.length;
}
}
}
else {
const err56 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err56];
}
else {
vErrors.push(err56);
}
errors++;
}
validate10.errors = vErrors;
return errors === 0;
}
