// Generated from schemas/template.schema.json by `npm run generate`.
"use strict";
export const validate = validate10;
export default validate10;
const schema11 = {"$schema":"http://json-schema.org/draft-07/schema#","$id":"holdfast/template.schema.json","title":"Template","description":"A workflow template: the steps that a run walks through. YAML or JSON, in .claude/holdfast/workflows/.","type":"object","additionalProperties":false,"required":["name","description","steps"],"properties":{"$schema":{"type":"string"},"name":{"$ref":"#/definitions/filled","description":"What the workflow is called; its runs bear this name."},"description":{"$ref":"#/definitions/filled","description":"What the workflow is for, in a sentence."},"extends":{"$ref":"#/definitions/filled","description":"The template that this one builds on; steps, loops and agents are merged by id."},"resume":{"enum":["auto"],"description":"A new session takes the only run of this template that nobody holds, without being asked."},"max_pivots":{"type":"integer","minimum":1,"maximum":1000,"description":"How often a run may go back with feedback (default 6)."},"max_retries":{"type":"integer","minimum":0,"maximum":1000,"description":"How often a failed step with on_fail: retry is tried again (default 3)."},"agents":{"type":"object","description":"The agents that steps can be given to.","additionalProperties":{"$ref":"#/definitions/agent"}},"steps":{"type":"array","minItems":1,"maxItems":5000,"items":{"$ref":"#/definitions/step"}},"loops":{"type":"object","description":"What is done for each task of a loop step.","additionalProperties":{"type":"array","minItems":1,"maxItems":1000,"items":{"$ref":"#/definitions/subStep"}}},"transitions":{"type":"array","maxItems":5000,"items":{"$ref":"#/definitions/transition"}},"critical_artifacts":{"type":"object","description":"What must be in the agent's context.","tsType":"{[k: string]: unknown}","additionalProperties":false,"properties":{"always_load":{"$ref":"#/definitions/artifacts"},"conditional_load":{"$ref":"#/definitions/artifacts"},"phase_specific":{"$ref":"#/definitions/artifacts"}}}},"definitions":{"filled":{"type":"string","pattern":"\\S"},"id":{"type":"string","pattern":"^[\\p{L}\\p{N}_-]{1,100}$"},"contextAction":{"enum":["compact","clear"],"description":"What happens to the conversation before this begins."},"onFail":{"enum":["retry","skip","abort"],"description":"What follows when this fails (default abort)."},"gate":{"type":"string","pattern":"\\S","description":"A command that must exit 0 before the run moves on. It runs only if the user has trusted this template."},"agent":{"type":"object","additionalProperties":false,"required":["description"],"properties":{"description":{"$ref":"#/definitions/filled"}}},"step":{"type":"object","additionalProperties":false,"required":["id","type"],"properties":{"id":{"$ref":"#/definitions/id"},"type":{"enum":["action","loop","ralph"],"description":"Done once; done for each task; done n times."},"title":{"$ref":"#/definitions/filled"},"phase":{"$ref":"#/definitions/filled","description":"The phase that this step belongs to (default: the step itself)."},"agent":{"$ref":"#/definitions/filled","description":"The agent that does it, of those under agents."},"instructions":{"$ref":"#/definitions/filled"},"n":{"type":"integer","minimum":1,"maximum":100000,"description":"How many iterations a ralph step has."},"artefacts":{"type":"array","maxItems":100,"items":{"$ref":"#/definitions/filled"},"description":"The files that this step makes, from the project root."},"context":{"$ref":"#/definitions/contextAction"},"loop":{"$ref":"#/definitions/filled","description":"The loop that this step walks, of those under loops."},"gate":{"$ref":"#/definitions/gate"},"on_fail":{"$ref":"#/definitions/onFail"}}},"subStep":{"type":"object","additionalProperties":false,"required":["id","instructions"],"properties":{"id":{"$ref":"#/definitions/id"},"instructions":{"$ref":"#/definitions/filled","description":"{task.id}, {task.title} and {task.description} stand for the task's own."},"agent":{"$ref":"#/definitions/filled"},"on_fail":{"$ref":"#/definitions/onFail"},"context":{"$ref":"#/definitions/contextAction"},"gate":{"$ref":"#/definitions/gate"}}},"transition":{"type":"object","additionalProperties":false,"required":["from","to","context"],"properties":{"from":{"$ref":"#/definitions/filled"},"to":{"$ref":"#/definitions/filled"},"context":{"enum":["clear","compact","keep"]},"preserve":{"type":"array","maxItems":100,"items":{"$ref":"#/definitions/filled"},"description":"What the guidance after it carries: summary, feedback, or the key of an output, a context fact or an artifact."}}},"artifacts":{"type":"array","maxItems":1000,"items":{"$ref":"#/definitions/artifact"}},"artifact":{"type":"object","additionalProperties":false,"required":["id","type","reload_triggers"],"properties":{"id":{"$ref":"#/definitions/id"},"type":{"enum":["json","markdown","directory","work_plugin","skill","git_info"]},"path":{"$ref":"#/definitions/filled","description":"From the project root; {project_root}, {run_id}, {plan_id} and {work_id} are filled in."},"path_from_state":{"$ref":"#/definitions/filled","description":"Where in the run's state the path stands."},"command":{"$ref":"#/definitions/filled","description":"A command for the agent; holdfast never runs it."},"description":{"$ref":"#/definitions/filled"},"required":{"type":"boolean"},"condition":{"$ref":"#/definitions/filled","description":"Loaded only where this holds, for example state.phase.current > 1."},"reload_triggers":{"type":"array","maxItems":100,"items":{"type":"string","pattern":"^(session_start|compaction|manual|phase_start:.+|phase_transition(:.+->.+)?)$"},"description":"session_start, compaction, phase_start:X, phase_transition, phase_transition:A->B, manual."},"load_strategy":{"enum":["all","latest_only","summary"]}}}}};
const schema12 = {"type":"string","pattern":"\\S"};
const func2 = Object.prototype.hasOwnProperty;
const pattern0 = new RegExp("\\S", "u");
const schema15 = {"type":"object","additionalProperties":false,"required":["description"],"properties":{"description":{"$ref":"#/definitions/filled"}}};

function validate11(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.description === undefined){
const err0 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "description"},message:"must have required property '"+"description"+"'"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
for(const key0 in data){
if(!(key0 === "description")){
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
if(data.description !== undefined){
let data0 = data.description;
if(typeof data0 === "string"){
if(!pattern0.test(data0)){
const err2 = {instancePath:instancePath+"/description",schemaPath:"#/definitions/filled/pattern",keyword:"pattern",params:{pattern: "\\S"},message:"must match pattern \""+"\\S"+"\""};
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
const err3 = {instancePath:instancePath+"/description",schemaPath:"#/definitions/filled/type",keyword:"type",params:{type: "string"},message:"must be string"};
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
else {
const err4 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
validate11.errors = vErrors;
return errors === 0;
}

const schema17 = {"type":"object","additionalProperties":false,"required":["id","type"],"properties":{"id":{"$ref":"#/definitions/id"},"type":{"enum":["action","loop","ralph"],"description":"Done once; done for each task; done n times."},"title":{"$ref":"#/definitions/filled"},"phase":{"$ref":"#/definitions/filled","description":"The phase that this step belongs to (default: the step itself)."},"agent":{"$ref":"#/definitions/filled","description":"The agent that does it, of those under agents."},"instructions":{"$ref":"#/definitions/filled"},"n":{"type":"integer","minimum":1,"maximum":100000,"description":"How many iterations a ralph step has."},"artefacts":{"type":"array","maxItems":100,"items":{"$ref":"#/definitions/filled"},"description":"The files that this step makes, from the project root."},"context":{"$ref":"#/definitions/contextAction"},"loop":{"$ref":"#/definitions/filled","description":"The loop that this step walks, of those under loops."},"gate":{"$ref":"#/definitions/gate"},"on_fail":{"$ref":"#/definitions/onFail"}}};
const schema18 = {"type":"string","pattern":"^[\\p{L}\\p{N}_-]{1,100}$"};
const schema24 = {"enum":["compact","clear"],"description":"What happens to the conversation before this begins."};
const schema26 = {"type":"string","pattern":"\\S","description":"A command that must exit 0 before the run moves on. It runs only if the user has trusted this template."};
const schema27 = {"enum":["retry","skip","abort"],"description":"What follows when this fails (default abort)."};
const pattern4 = new RegExp("^[\\p{L}\\p{N}_-]{1,100}$", "u");

function validate13(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
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
if(data.type === undefined){
const err1 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "type"},message:"must have required property '"+"type"+"'"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
for(const key0 in data){
if(!(func2.call(schema17.properties, key0))){
const err2 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
}
if(data.id !== undefined){
let data0 = data.id;
if(typeof data0 === "string"){
if(!pattern4.test(data0)){
const err3 = {instancePath:instancePath+"/id",schemaPath:"#/definitions/id/pattern",keyword:"pattern",params:{pattern: "^[\\p{L}\\p{N}_-]{1,100}$"},message:"must match pattern \""+"^[\\p{L}\\p{N}_-]{1,100}$"+"\""};
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
const err4 = {instancePath:instancePath+"/id",schemaPath:"#/definitions/id/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
}
if(data.type !== undefined){
let data1 = data.type;
if(!(((data1 === "action") || (data1 === "loop")) || (data1 === "ralph"))){
const err5 = {instancePath:instancePath+"/type",schemaPath:"#/properties/type/enum",keyword:"enum",params:{allowedValues: schema17.properties.type.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
}
if(data.title !== undefined){
let data2 = data.title;
if(typeof data2 === "string"){
if(!pattern0.test(data2)){
const err6 = {instancePath:instancePath+"/title",schemaPath:"#/definitions/filled/pattern",keyword:"pattern",params:{pattern: "\\S"},message:"must match pattern \""+"\\S"+"\""};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
}
else {
const err7 = {instancePath:instancePath+"/title",schemaPath:"#/definitions/filled/type",keyword:"type",params:{type: "string"},message:"must be string"};
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
let data3 = data.phase;
if(typeof data3 === "string"){
if(!pattern0.test(data3)){
const err8 = {instancePath:instancePath+"/phase",schemaPath:"#/definitions/filled/pattern",keyword:"pattern",params:{pattern: "\\S"},message:"must match pattern \""+"\\S"+"\""};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
}
else {
const err9 = {instancePath:instancePath+"/phase",schemaPath:"#/definitions/filled/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err9];
}
else {
vErrors.push(err9);
}
errors++;
}
}
if(data.agent !== undefined){
let data4 = data.agent;
if(typeof data4 === "string"){
if(!pattern0.test(data4)){
const err10 = {instancePath:instancePath+"/agent",schemaPath:"#/definitions/filled/pattern",keyword:"pattern",params:{pattern: "\\S"},message:"must match pattern \""+"\\S"+"\""};
if(vErrors === null){
vErrors = [err10];
}
else {
vErrors.push(err10);
}
errors++;
}
}
else {
const err11 = {instancePath:instancePath+"/agent",schemaPath:"#/definitions/filled/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err11];
}
else {
vErrors.push(err11);
}
errors++;
}
}
if(data.instructions !== undefined){
let data5 = data.instructions;
if(typeof data5 === "string"){
if(!pattern0.test(data5)){
const err12 = {instancePath:instancePath+"/instructions",schemaPath:"#/definitions/filled/pattern",keyword:"pattern",params:{pattern: "\\S"},message:"must match pattern \""+"\\S"+"\""};
if(vErrors === null){
vErrors = [err12];
}
else {
vErrors.push(err12);
}
errors++;
}
}
else {
const err13 = {instancePath:instancePath+"/instructions",schemaPath:"#/definitions/filled/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err13];
}
else {
vErrors.push(err13);
}
errors++;
}
}
if(data.n !== undefined){
let data6 = data.n;
if(!(((typeof data6 == "number") && (!(data6 % 1) && !isNaN(data6))) && (isFinite(data6)))){
const err14 = {instancePath:instancePath+"/n",schemaPath:"#/properties/n/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err14];
}
else {
vErrors.push(err14);
}
errors++;
}
if((typeof data6 == "number") && (isFinite(data6))){
if(data6 > 100000 || isNaN(data6)){
const err15 = {instancePath:instancePath+"/n",schemaPath:"#/properties/n/maximum",keyword:"maximum",params:{comparison: "<=", limit: 100000},message:"must be <= 100000"};
if(vErrors === null){
vErrors = [err15];
}
else {
vErrors.push(err15);
}
errors++;
}
if(data6 < 1 || isNaN(data6)){
const err16 = {instancePath:instancePath+"/n",schemaPath:"#/properties/n/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
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
if(data.artefacts !== undefined){
let data7 = data.artefacts;
if(Array.isArray(data7)){
if(data7.length > 100){
const err17 = {instancePath:instancePath+"/artefacts",schemaPath:"#/properties/artefacts/maxItems",keyword:"maxItems",params:{limit: 100},message:"must NOT have more than 100 items"};
if(vErrors === null){
vErrors = [err17];
}
else {
vErrors.push(err17);
}
errors++;
}
const len0 = data7.length;
for(let i0=0; i0<len0; i0++){
let data8 = data7[i0];
if(typeof data8 === "string"){
if(!pattern0.test(data8)){
const err18 = {instancePath:instancePath+"/artefacts/" + i0,schemaPath:"#/definitions/filled/pattern",keyword:"pattern",params:{pattern: "\\S"},message:"must match pattern \""+"\\S"+"\""};
if(vErrors === null){
vErrors = [err18];
}
else {
vErrors.push(err18);
}
errors++;
}
}
else {
const err19 = {instancePath:instancePath+"/artefacts/" + i0,schemaPath:"#/definitions/filled/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err19];
}
else {
vErrors.push(err19);
}
errors++;
}
}
}
else {
const err20 = {instancePath:instancePath+"/artefacts",schemaPath:"#/properties/artefacts/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err20];
}
else {
vErrors.push(err20);
}
errors++;
}
}
if(data.context !== undefined){
let data9 = data.context;
if(!((data9 === "compact") || (data9 === "clear"))){
const err21 = {instancePath:instancePath+"/context",schemaPath:"#/definitions/contextAction/enum",keyword:"enum",params:{allowedValues: schema24.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err21];
}
else {
vErrors.push(err21);
}
errors++;
}
}
if(data.loop !== undefined){
let data10 = data.loop;
if(typeof data10 === "string"){
if(!pattern0.test(data10)){
const err22 = {instancePath:instancePath+"/loop",schemaPath:"#/definitions/filled/pattern",keyword:"pattern",params:{pattern: "\\S"},message:"must match pattern \""+"\\S"+"\""};
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
const err23 = {instancePath:instancePath+"/loop",schemaPath:"#/definitions/filled/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err23];
}
else {
vErrors.push(err23);
}
errors++;
}
}
if(data.gate !== undefined){
let data11 = data.gate;
if(typeof data11 === "string"){
if(!pattern0.test(data11)){
const err24 = {instancePath:instancePath+"/gate",schemaPath:"#/definitions/gate/pattern",keyword:"pattern",params:{pattern: "\\S"},message:"must match pattern \""+"\\S"+"\""};
if(vErrors === null){
vErrors = [err24];
}
else {
vErrors.push(err24);
}
errors++;
}
}
else {
const err25 = {instancePath:instancePath+"/gate",schemaPath:"#/definitions/gate/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err25];
}
else {
vErrors.push(err25);
}
errors++;
}
}
if(data.on_fail !== undefined){
let data12 = data.on_fail;
if(!(((data12 === "retry") || (data12 === "skip")) || (data12 === "abort"))){
const err26 = {instancePath:instancePath+"/on_fail",schemaPath:"#/definitions/onFail/enum",keyword:"enum",params:{allowedValues: schema27.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err26];
}
else {
vErrors.push(err26);
}
errors++;
}
}
}
else {
const err27 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err27];
}
else {
vErrors.push(err27);
}
errors++;
}
validate13.errors = vErrors;
return errors === 0;
}

const schema28 = {"type":"object","additionalProperties":false,"required":["id","instructions"],"properties":{"id":{"$ref":"#/definitions/id"},"instructions":{"$ref":"#/definitions/filled","description":"{task.id}, {task.title} and {task.description} stand for the task's own."},"agent":{"$ref":"#/definitions/filled"},"on_fail":{"$ref":"#/definitions/onFail"},"context":{"$ref":"#/definitions/contextAction"},"gate":{"$ref":"#/definitions/gate"}}};

function validate15(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
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
if(data.instructions === undefined){
const err1 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "instructions"},message:"must have required property '"+"instructions"+"'"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
for(const key0 in data){
if(!((((((key0 === "id") || (key0 === "instructions")) || (key0 === "agent")) || (key0 === "on_fail")) || (key0 === "context")) || (key0 === "gate"))){
const err2 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
}
if(data.id !== undefined){
let data0 = data.id;
if(typeof data0 === "string"){
if(!pattern4.test(data0)){
const err3 = {instancePath:instancePath+"/id",schemaPath:"#/definitions/id/pattern",keyword:"pattern",params:{pattern: "^[\\p{L}\\p{N}_-]{1,100}$"},message:"must match pattern \""+"^[\\p{L}\\p{N}_-]{1,100}$"+"\""};
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
const err4 = {instancePath:instancePath+"/id",schemaPath:"#/definitions/id/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
}
if(data.instructions !== undefined){
let data1 = data.instructions;
if(typeof data1 === "string"){
if(!pattern0.test(data1)){
const err5 = {instancePath:instancePath+"/instructions",schemaPath:"#/definitions/filled/pattern",keyword:"pattern",params:{pattern: "\\S"},message:"must match pattern \""+"\\S"+"\""};
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
const err6 = {instancePath:instancePath+"/instructions",schemaPath:"#/definitions/filled/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
}
if(data.agent !== undefined){
let data2 = data.agent;
if(typeof data2 === "string"){
if(!pattern0.test(data2)){
const err7 = {instancePath:instancePath+"/agent",schemaPath:"#/definitions/filled/pattern",keyword:"pattern",params:{pattern: "\\S"},message:"must match pattern \""+"\\S"+"\""};
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
const err8 = {instancePath:instancePath+"/agent",schemaPath:"#/definitions/filled/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
}
if(data.on_fail !== undefined){
let data3 = data.on_fail;
if(!(((data3 === "retry") || (data3 === "skip")) || (data3 === "abort"))){
const err9 = {instancePath:instancePath+"/on_fail",schemaPath:"#/definitions/onFail/enum",keyword:"enum",params:{allowedValues: schema27.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err9];
}
else {
vErrors.push(err9);
}
errors++;
}
}
if(data.context !== undefined){
let data4 = data.context;
if(!((data4 === "compact") || (data4 === "clear"))){
const err10 = {instancePath:instancePath+"/context",schemaPath:"#/definitions/contextAction/enum",keyword:"enum",params:{allowedValues: schema24.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err10];
}
else {
vErrors.push(err10);
}
errors++;
}
}
if(data.gate !== undefined){
let data5 = data.gate;
if(typeof data5 === "string"){
if(!pattern0.test(data5)){
const err11 = {instancePath:instancePath+"/gate",schemaPath:"#/definitions/gate/pattern",keyword:"pattern",params:{pattern: "\\S"},message:"must match pattern \""+"\\S"+"\""};
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
const err12 = {instancePath:instancePath+"/gate",schemaPath:"#/definitions/gate/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err12];
}
else {
vErrors.push(err12);
}
errors++;
}
}
}
else {
const err13 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err13];
}
else {
vErrors.push(err13);
}
errors++;
}
validate15.errors = vErrors;
return errors === 0;
}

const schema35 = {"type":"object","additionalProperties":false,"required":["from","to","context"],"properties":{"from":{"$ref":"#/definitions/filled"},"to":{"$ref":"#/definitions/filled"},"context":{"enum":["clear","compact","keep"]},"preserve":{"type":"array","maxItems":100,"items":{"$ref":"#/definitions/filled"},"description":"What the guidance after it carries: summary, feedback, or the key of an output, a context fact or an artifact."}}};

function validate17(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
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
if(data.context === undefined){
const err2 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "context"},message:"must have required property '"+"context"+"'"};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
for(const key0 in data){
if(!((((key0 === "from") || (key0 === "to")) || (key0 === "context")) || (key0 === "preserve"))){
const err3 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
}
if(data.from !== undefined){
let data0 = data.from;
if(typeof data0 === "string"){
if(!pattern0.test(data0)){
const err4 = {instancePath:instancePath+"/from",schemaPath:"#/definitions/filled/pattern",keyword:"pattern",params:{pattern: "\\S"},message:"must match pattern \""+"\\S"+"\""};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
}
else {
const err5 = {instancePath:instancePath+"/from",schemaPath:"#/definitions/filled/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
}
if(data.to !== undefined){
let data1 = data.to;
if(typeof data1 === "string"){
if(!pattern0.test(data1)){
const err6 = {instancePath:instancePath+"/to",schemaPath:"#/definitions/filled/pattern",keyword:"pattern",params:{pattern: "\\S"},message:"must match pattern \""+"\\S"+"\""};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
}
else {
const err7 = {instancePath:instancePath+"/to",schemaPath:"#/definitions/filled/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
}
if(data.context !== undefined){
let data2 = data.context;
if(!(((data2 === "clear") || (data2 === "compact")) || (data2 === "keep"))){
const err8 = {instancePath:instancePath+"/context",schemaPath:"#/properties/context/enum",keyword:"enum",params:{allowedValues: schema35.properties.context.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
}
if(data.preserve !== undefined){
let data3 = data.preserve;
if(Array.isArray(data3)){
if(data3.length > 100){
const err9 = {instancePath:instancePath+"/preserve",schemaPath:"#/properties/preserve/maxItems",keyword:"maxItems",params:{limit: 100},message:"must NOT have more than 100 items"};
if(vErrors === null){
vErrors = [err9];
}
else {
vErrors.push(err9);
}
errors++;
}
const len0 = data3.length;
for(let i0=0; i0<len0; i0++){
let data4 = data3[i0];
if(typeof data4 === "string"){
if(!pattern0.test(data4)){
const err10 = {instancePath:instancePath+"/preserve/" + i0,schemaPath:"#/definitions/filled/pattern",keyword:"pattern",params:{pattern: "\\S"},message:"must match pattern \""+"\\S"+"\""};
if(vErrors === null){
vErrors = [err10];
}
else {
vErrors.push(err10);
}
errors++;
}
}
else {
const err11 = {instancePath:instancePath+"/preserve/" + i0,schemaPath:"#/definitions/filled/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err11];
}
else {
vErrors.push(err11);
}
errors++;
}
}
}
else {
const err12 = {instancePath:instancePath+"/preserve",schemaPath:"#/properties/preserve/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err12];
}
else {
vErrors.push(err12);
}
errors++;
}
}
}
else {
const err13 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err13];
}
else {
vErrors.push(err13);
}
errors++;
}
validate17.errors = vErrors;
return errors === 0;
}

const schema39 = {"type":"array","maxItems":1000,"items":{"$ref":"#/definitions/artifact"}};
const schema40 = {"type":"object","additionalProperties":false,"required":["id","type","reload_triggers"],"properties":{"id":{"$ref":"#/definitions/id"},"type":{"enum":["json","markdown","directory","work_plugin","skill","git_info"]},"path":{"$ref":"#/definitions/filled","description":"From the project root; {project_root}, {run_id}, {plan_id} and {work_id} are filled in."},"path_from_state":{"$ref":"#/definitions/filled","description":"Where in the run's state the path stands."},"command":{"$ref":"#/definitions/filled","description":"A command for the agent; holdfast never runs it."},"description":{"$ref":"#/definitions/filled"},"required":{"type":"boolean"},"condition":{"$ref":"#/definitions/filled","description":"Loaded only where this holds, for example state.phase.current > 1."},"reload_triggers":{"type":"array","maxItems":100,"items":{"type":"string","pattern":"^(session_start|compaction|manual|phase_start:.+|phase_transition(:.+->.+)?)$"},"description":"session_start, compaction, phase_start:X, phase_transition, phase_transition:A->B, manual."},"load_strategy":{"enum":["all","latest_only","summary"]}}};
const pattern25 = new RegExp("^(session_start|compaction|manual|phase_start:.+|phase_transition(:.+->.+)?)$", "u");

function validate20(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
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
if(data.type === undefined){
const err1 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "type"},message:"must have required property '"+"type"+"'"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
if(data.reload_triggers === undefined){
const err2 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "reload_triggers"},message:"must have required property '"+"reload_triggers"+"'"};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
for(const key0 in data){
if(!(func2.call(schema40.properties, key0))){
const err3 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
}
if(data.id !== undefined){
let data0 = data.id;
if(typeof data0 === "string"){
if(!pattern4.test(data0)){
const err4 = {instancePath:instancePath+"/id",schemaPath:"#/definitions/id/pattern",keyword:"pattern",params:{pattern: "^[\\p{L}\\p{N}_-]{1,100}$"},message:"must match pattern \""+"^[\\p{L}\\p{N}_-]{1,100}$"+"\""};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
}
else {
const err5 = {instancePath:instancePath+"/id",schemaPath:"#/definitions/id/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
}
if(data.type !== undefined){
let data1 = data.type;
if(!((((((data1 === "json") || (data1 === "markdown")) || (data1 === "directory")) || (data1 === "work_plugin")) || (data1 === "skill")) || (data1 === "git_info"))){
const err6 = {instancePath:instancePath+"/type",schemaPath:"#/properties/type/enum",keyword:"enum",params:{allowedValues: schema40.properties.type.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
}
if(data.path !== undefined){
let data2 = data.path;
if(typeof data2 === "string"){
if(!pattern0.test(data2)){
const err7 = {instancePath:instancePath+"/path",schemaPath:"#/definitions/filled/pattern",keyword:"pattern",params:{pattern: "\\S"},message:"must match pattern \""+"\\S"+"\""};
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
const err8 = {instancePath:instancePath+"/path",schemaPath:"#/definitions/filled/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
}
if(data.path_from_state !== undefined){
let data3 = data.path_from_state;
if(typeof data3 === "string"){
if(!pattern0.test(data3)){
const err9 = {instancePath:instancePath+"/path_from_state",schemaPath:"#/definitions/filled/pattern",keyword:"pattern",params:{pattern: "\\S"},message:"must match pattern \""+"\\S"+"\""};
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
const err10 = {instancePath:instancePath+"/path_from_state",schemaPath:"#/definitions/filled/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err10];
}
else {
vErrors.push(err10);
}
errors++;
}
}
if(data.command !== undefined){
let data4 = data.command;
if(typeof data4 === "string"){
if(!pattern0.test(data4)){
const err11 = {instancePath:instancePath+"/command",schemaPath:"#/definitions/filled/pattern",keyword:"pattern",params:{pattern: "\\S"},message:"must match pattern \""+"\\S"+"\""};
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
const err12 = {instancePath:instancePath+"/command",schemaPath:"#/definitions/filled/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err12];
}
else {
vErrors.push(err12);
}
errors++;
}
}
if(data.description !== undefined){
let data5 = data.description;
if(typeof data5 === "string"){
if(!pattern0.test(data5)){
const err13 = {instancePath:instancePath+"/description",schemaPath:"#/definitions/filled/pattern",keyword:"pattern",params:{pattern: "\\S"},message:"must match pattern \""+"\\S"+"\""};
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
const err14 = {instancePath:instancePath+"/description",schemaPath:"#/definitions/filled/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err14];
}
else {
vErrors.push(err14);
}
errors++;
}
}
if(data.required !== undefined){
if(typeof data.required !== "boolean"){
const err15 = {instancePath:instancePath+"/required",schemaPath:"#/properties/required/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err15];
}
else {
vErrors.push(err15);
}
errors++;
}
}
if(data.condition !== undefined){
let data7 = data.condition;
if(typeof data7 === "string"){
if(!pattern0.test(data7)){
const err16 = {instancePath:instancePath+"/condition",schemaPath:"#/definitions/filled/pattern",keyword:"pattern",params:{pattern: "\\S"},message:"must match pattern \""+"\\S"+"\""};
if(vErrors === null){
vErrors = [err16];
}
else {
vErrors.push(err16);
}
errors++;
}
}
else {
const err17 = {instancePath:instancePath+"/condition",schemaPath:"#/definitions/filled/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err17];
}
else {
vErrors.push(err17);
}
errors++;
}
}
if(data.reload_triggers !== undefined){
let data8 = data.reload_triggers;
if(Array.isArray(data8)){
if(data8.length > 100){
const err18 = {instancePath:instancePath+"/reload_triggers",schemaPath:"#/properties/reload_triggers/maxItems",keyword:"maxItems",params:{limit: 100},message:"must NOT have more than 100 items"};
if(vErrors === null){
vErrors = [err18];
}
else {
vErrors.push(err18);
}
errors++;
}
const len0 = data8.length;
for(let i0=0; i0<len0; i0++){
let data9 = data8[i0];
if(typeof data9 === "string"){
if(!pattern25.test(data9)){
const err19 = {instancePath:instancePath+"/reload_triggers/" + i0,schemaPath:"#/properties/reload_triggers/items/pattern",keyword:"pattern",params:{pattern: "^(session_start|compaction|manual|phase_start:.+|phase_transition(:.+->.+)?)$"},message:"must match pattern \""+"^(session_start|compaction|manual|phase_start:.+|phase_transition(:.+->.+)?)$"+"\""};
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
const err20 = {instancePath:instancePath+"/reload_triggers/" + i0,schemaPath:"#/properties/reload_triggers/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
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
const err21 = {instancePath:instancePath+"/reload_triggers",schemaPath:"#/properties/reload_triggers/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err21];
}
else {
vErrors.push(err21);
}
errors++;
}
}
if(data.load_strategy !== undefined){
let data10 = data.load_strategy;
if(!(((data10 === "all") || (data10 === "latest_only")) || (data10 === "summary"))){
const err22 = {instancePath:instancePath+"/load_strategy",schemaPath:"#/properties/load_strategy/enum",keyword:"enum",params:{allowedValues: schema40.properties.load_strategy.enum},message:"must be equal to one of the allowed values"};
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
const err23 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err23];
}
else {
vErrors.push(err23);
}
errors++;
}
validate20.errors = vErrors;
return errors === 0;
}


function validate19(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
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
if(!(validate20(data[i0], {instancePath:instancePath+"/" + i0,parentData:data,parentDataProperty:i0,rootData}))){
vErrors = vErrors === null ? validate20.errors : vErrors.concat(validate20.errors);
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
validate19.errors = vErrors;
return errors === 0;
}


function validate10(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
/*# sourceURL="holdfast/template.schema.json" */;
let vErrors = null;
let errors = 0;
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.name === undefined){
const err0 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "name"},message:"must have required property '"+"name"+"'"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
if(data.description === undefined){
const err1 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "description"},message:"must have required property '"+"description"+"'"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
if(data.steps === undefined){
const err2 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "steps"},message:"must have required property '"+"steps"+"'"};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
for(const key0 in data){
if(!(func2.call(schema11.properties, key0))){
const err3 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
}
if(data.$schema !== undefined){
if(typeof data.$schema !== "string"){
const err4 = {instancePath:instancePath+"/$schema",schemaPath:"#/properties/%24schema/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
}
if(data.name !== undefined){
let data1 = data.name;
if(typeof data1 === "string"){
if(!pattern0.test(data1)){
const err5 = {instancePath:instancePath+"/name",schemaPath:"#/definitions/filled/pattern",keyword:"pattern",params:{pattern: "\\S"},message:"must match pattern \""+"\\S"+"\""};
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
const err6 = {instancePath:instancePath+"/name",schemaPath:"#/definitions/filled/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
}
if(data.description !== undefined){
let data2 = data.description;
if(typeof data2 === "string"){
if(!pattern0.test(data2)){
const err7 = {instancePath:instancePath+"/description",schemaPath:"#/definitions/filled/pattern",keyword:"pattern",params:{pattern: "\\S"},message:"must match pattern \""+"\\S"+"\""};
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
const err8 = {instancePath:instancePath+"/description",schemaPath:"#/definitions/filled/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
}
if(data.extends !== undefined){
let data3 = data.extends;
if(typeof data3 === "string"){
if(!pattern0.test(data3)){
const err9 = {instancePath:instancePath+"/extends",schemaPath:"#/definitions/filled/pattern",keyword:"pattern",params:{pattern: "\\S"},message:"must match pattern \""+"\\S"+"\""};
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
const err10 = {instancePath:instancePath+"/extends",schemaPath:"#/definitions/filled/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err10];
}
else {
vErrors.push(err10);
}
errors++;
}
}
if(data.resume !== undefined){
if(!(data.resume === "auto")){
const err11 = {instancePath:instancePath+"/resume",schemaPath:"#/properties/resume/enum",keyword:"enum",params:{allowedValues: schema11.properties.resume.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err11];
}
else {
vErrors.push(err11);
}
errors++;
}
}
if(data.max_pivots !== undefined){
let data5 = data.max_pivots;
if(!(((typeof data5 == "number") && (!(data5 % 1) && !isNaN(data5))) && (isFinite(data5)))){
const err12 = {instancePath:instancePath+"/max_pivots",schemaPath:"#/properties/max_pivots/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err12];
}
else {
vErrors.push(err12);
}
errors++;
}
if((typeof data5 == "number") && (isFinite(data5))){
if(data5 > 1000 || isNaN(data5)){
const err13 = {instancePath:instancePath+"/max_pivots",schemaPath:"#/properties/max_pivots/maximum",keyword:"maximum",params:{comparison: "<=", limit: 1000},message:"must be <= 1000"};
if(vErrors === null){
vErrors = [err13];
}
else {
vErrors.push(err13);
}
errors++;
}
if(data5 < 1 || isNaN(data5)){
const err14 = {instancePath:instancePath+"/max_pivots",schemaPath:"#/properties/max_pivots/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err14];
}
else {
vErrors.push(err14);
}
errors++;
}
}
}
if(data.max_retries !== undefined){
let data6 = data.max_retries;
if(!(((typeof data6 == "number") && (!(data6 % 1) && !isNaN(data6))) && (isFinite(data6)))){
const err15 = {instancePath:instancePath+"/max_retries",schemaPath:"#/properties/max_retries/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err15];
}
else {
vErrors.push(err15);
}
errors++;
}
if((typeof data6 == "number") && (isFinite(data6))){
if(data6 > 1000 || isNaN(data6)){
const err16 = {instancePath:instancePath+"/max_retries",schemaPath:"#/properties/max_retries/maximum",keyword:"maximum",params:{comparison: "<=", limit: 1000},message:"must be <= 1000"};
if(vErrors === null){
vErrors = [err16];
}
else {
vErrors.push(err16);
}
errors++;
}
if(data6 < 0 || isNaN(data6)){
const err17 = {instancePath:instancePath+"/max_retries",schemaPath:"#/properties/max_retries/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
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
if(data.agents !== undefined){
let data7 = data.agents;
if(data7 && typeof data7 == "object" && !Array.isArray(data7)){
for(const key1 in data7){
if(!(validate11(data7[key1], {instancePath:instancePath+"/agents/" + key1.replace(/~/g, "~0").replace(/\//g, "~1"),parentData:data7,parentDataProperty:key1,rootData}))){
vErrors = vErrors === null ? validate11.errors : vErrors.concat(validate11.errors);
errors = vErrors.length;
}
}
}
else {
const err18 = {instancePath:instancePath+"/agents",schemaPath:"#/properties/agents/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err18];
}
else {
vErrors.push(err18);
}
errors++;
}
}
if(data.steps !== undefined){
let data9 = data.steps;
if(Array.isArray(data9)){
if(data9.length > 5000){
const err19 = {instancePath:instancePath+"/steps",schemaPath:"#/properties/steps/maxItems",keyword:"maxItems",params:{limit: 5000},message:"must NOT have more than 5000 items"};
if(vErrors === null){
vErrors = [err19];
}
else {
vErrors.push(err19);
}
errors++;
}
if(data9.length < 1){
const err20 = {instancePath:instancePath+"/steps",schemaPath:"#/properties/steps/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err20];
}
else {
vErrors.push(err20);
}
errors++;
}
const len0 = data9.length;
for(let i0=0; i0<len0; i0++){
if(!(validate13(data9[i0], {instancePath:instancePath+"/steps/" + i0,parentData:data9,parentDataProperty:i0,rootData}))){
vErrors = vErrors === null ? validate13.errors : vErrors.concat(validate13.errors);
errors = vErrors.length;
}
}
}
else {
const err21 = {instancePath:instancePath+"/steps",schemaPath:"#/properties/steps/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err21];
}
else {
vErrors.push(err21);
}
errors++;
}
}
if(data.loops !== undefined){
let data11 = data.loops;
if(data11 && typeof data11 == "object" && !Array.isArray(data11)){
for(const key2 in data11){
let data12 = data11[key2];
if(Array.isArray(data12)){
if(data12.length > 1000){
const err22 = {instancePath:instancePath+"/loops/" + key2.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/loops/additionalProperties/maxItems",keyword:"maxItems",params:{limit: 1000},message:"must NOT have more than 1000 items"};
if(vErrors === null){
vErrors = [err22];
}
else {
vErrors.push(err22);
}
errors++;
}
if(data12.length < 1){
const err23 = {instancePath:instancePath+"/loops/" + key2.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/loops/additionalProperties/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err23];
}
else {
vErrors.push(err23);
}
errors++;
}
const len1 = data12.length;
for(let i1=0; i1<len1; i1++){
if(!(validate15(data12[i1], {instancePath:instancePath+"/loops/" + key2.replace(/~/g, "~0").replace(/\//g, "~1")+"/" + i1,parentData:data12,parentDataProperty:i1,rootData}))){
vErrors = vErrors === null ? validate15.errors : vErrors.concat(validate15.errors);
errors = vErrors.length;
}
}
}
else {
const err24 = {instancePath:instancePath+"/loops/" + key2.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/loops/additionalProperties/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err24];
}
else {
vErrors.push(err24);
}
errors++;
}
}
}
else {
const err25 = {instancePath:instancePath+"/loops",schemaPath:"#/properties/loops/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err25];
}
else {
vErrors.push(err25);
}
errors++;
}
}
if(data.transitions !== undefined){
let data14 = data.transitions;
if(Array.isArray(data14)){
if(data14.length > 5000){
const err26 = {instancePath:instancePath+"/transitions",schemaPath:"#/properties/transitions/maxItems",keyword:"maxItems",params:{limit: 5000},message:"must NOT have more than 5000 items"};
if(vErrors === null){
vErrors = [err26];
}
else {
vErrors.push(err26);
}
errors++;
}
const len2 = data14.length;
for(let i2=0; i2<len2; i2++){
if(!(validate17(data14[i2], {instancePath:instancePath+"/transitions/" + i2,parentData:data14,parentDataProperty:i2,rootData}))){
vErrors = vErrors === null ? validate17.errors : vErrors.concat(validate17.errors);
errors = vErrors.length;
}
}
}
else {
const err27 = {instancePath:instancePath+"/transitions",schemaPath:"#/properties/transitions/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err27];
}
else {
vErrors.push(err27);
}
errors++;
}
}
if(data.critical_artifacts !== undefined){
let data16 = data.critical_artifacts;
if(data16 && typeof data16 == "object" && !Array.isArray(data16)){
for(const key3 in data16){
if(!(((key3 === "always_load") || (key3 === "conditional_load")) || (key3 === "phase_specific"))){
const err28 = {instancePath:instancePath+"/critical_artifacts",schemaPath:"#/properties/critical_artifacts/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key3},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err28];
}
else {
vErrors.push(err28);
}
errors++;
}
}
if(data16.always_load !== undefined){
if(!(validate19(data16.always_load, {instancePath:instancePath+"/critical_artifacts/always_load",parentData:data16,parentDataProperty:"always_load",rootData}))){
vErrors = vErrors === null ? validate19.errors : vErrors.concat(validate19.errors);
errors = vErrors.length;
}
}
if(data16.conditional_load !== undefined){
if(!(validate19(data16.conditional_load, {instancePath:instancePath+"/critical_artifacts/conditional_load",parentData:data16,parentDataProperty:"conditional_load",rootData}))){
vErrors = vErrors === null ? validate19.errors : vErrors.concat(validate19.errors);
errors = vErrors.length;
}
}
if(data16.phase_specific !== undefined){
if(!(validate19(data16.phase_specific, {instancePath:instancePath+"/critical_artifacts/phase_specific",parentData:data16,parentDataProperty:"phase_specific",rootData}))){
vErrors = vErrors === null ? validate19.errors : vErrors.concat(validate19.errors);
errors = vErrors.length;
}
}
}
else {
const err29 = {instancePath:instancePath+"/critical_artifacts",schemaPath:"#/properties/critical_artifacts/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err29];
}
else {
vErrors.push(err29);
}
errors++;
}
}
}
else {
const err30 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err30];
}
else {
vErrors.push(err30);
}
errors++;
}
validate10.errors = vErrors;
return errors === 0;
}
