#!/bin/bash
# SPDX-License-Identifier: MIT
# stack_apis_vulkan.sh: the descriptor of Vulkan, on Mesa's software driver: programs under `tracelayer run --api vulkan` print the same and end the same;
# calls by pointers from vkGetInstanceProcAddr and vkGetDeviceProcAddr are in the traces, as often as a library in the loader's place counts them; lengths
# are those of the registry.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/lib/stack.sh"
. "$top_srcdir/tests/lib/kept_venv.sh"
need vulkaninfo vulkan-tools
need vkcube vulkan-tools
test -e /usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json ||
	{ echo "Bail out! the validation layer is missing; ./scripts/install-packages stacks installs it (vulkan-validationlayers)"; exit 99; }
need Xvfb xvfb
need ffmpeg ffmpeg
registry=/usr/share/vulkan/registry/vk.xml
test -e $registry || { echo "Bail out! $registry is missing; ./scripts/install-packages stacks installs it (libvulkan-dev)"; exit 99; }
driver=$(ls /usr/share/vulkan/icd.d/lvp_icd*.json 2>/dev/null | head -n 1)
test -e "$driver" || { echo "Bail out! Mesa's software driver is missing; ./scripts/install-packages stacks installs it (mesa-vulkan-drivers)"; exit 99; }
plan 64
export VK_ICD_FILENAMES=$driver XDG_RUNTIME_DIR=$tmp LP_NUM_THREADS=2
cd "$tmp" || exit 99

# program WHAT COMMAND…: two results.
program()
{
	local what=$1 bare traced; shift
	rm -rf traces; mkdir traces
	timeout -k 5 100 "$@" >bare.out 2>bare.err </dev/null; bare=$?
	timeout -k 5 100 "$tracelayer" run -o "$tmp/traces/t.json" --tool leaks --summary --api vulkan -- "$@" >traced.out 2>traced.err </dev/null; traced=$?
	is "$traced $(normalise <traced.out | sha256sum)" "$bare $(normalise <bare.out | sha256sum)" "$what: prints the same, ends the same ($bare)"
	ok "$what: the traces are sound" sound_traces
	"$python" - traces/*.json <<-'PYTHON' >calls
	import json, sys
	for path in sys.argv[1:]:
	    for event in json.load(open(path)):
	        if event.get("ph") == "X":
	            print(event["name"], json.dumps(event.get("args", {})))
	PYTHON
}

# counter: a library in the place of Vulkan's loader, in the folder `counter`.
counter()
{
	local loader
	loader=$(ldconfig -p | awk '$1 == "libvulkan.so.1" && /x86-64/ { print $NF; exit }')
	mkdir -p counter && "$python" - "$registry" "$loader" <<-'PYTHON' >counter/list &&
	import subprocess, sys, xml.etree.ElementTree as tree
	commands = tree.parse(sys.argv[1]).getroot().find("commands")
	lines = subprocess.run(["nm", "-D", "--defined-only", sys.argv[2]], check=True, capture_output=True, text=True).stdout.splitlines()
	exports = {line.split()[-1].split("@")[0] for line in lines}
	for number, name in enumerate(sorted({c.get("name") or c.find("proto/name").text for c in commands})):
	    print(f"FUNCTION({number}, {name}, {int(name in exports)})")
	PYTHON
		${CC:-cc} -O1 -fPIC -shared -Wl,-soname,libvulkan.so.1 -DLOADER="\"$loader\"" -DLIST="\"$tmp/counter/list\"" -o counter/libvulkan.so.1 \
			"$top_srcdir/tests/whole/vk_counter.c" && ln -sf libvulkan.so.1 counter/libvulkan.so
}

# counted EXCEPT COMMAND…: one result, of the last program: its calls are those that the counting library counts in a run of its own. How often it calls what
# matches EXCEPT depends on how long the device takes.
counted()
{
	local except=$1; shift
	test -e counter/libvulkan.so.1 || { skip 1 "the counting library is for x86-64, which this machine is not"; return; }
	rm -f counter/counts
	LD_LIBRARY_PATH=$tmp/counter COUNT_CALLS=$tmp/counter/counts "$@" >/dev/null 2>&1 </dev/null
	grep -vE "^($except) " counter/counts | sort >want
	"$python" "$check_trace" --names traces/*.json | grep ^vk | grep -vE "^($except) " | sort >seen
	same want seen "$(basename "$1"): each call is in the trace as often as it counts: $(awk '{ n += $2 } END { print n + 0 }' want) of $(wc -l <want) functions"
}

# shown REGEX TEST: a call of the last program.
shown() { ok "$2" grep -Eq -e "$1" calls; }

# What of its memory the machine uses just then.
normalise() { sed '/^\t*usage *=/d; /^\t*budget *=/d'; }
program vulkaninfo vulkaninfo
normalise() { cat; }
if test "$(uname -m)" = x86_64; then
	ok "a library in the loader's place is built, which counts" counter
else
	skip 1 "the counting library is for x86-64, which this machine is not"
fi
counted none vulkaninfo
shown '^vkCreateDebugReportCallbackEXT .*"sType": "VK_STRUCTURE_TYPE_DEBUG_REPORT_' "a function that the loader does not export is traced by its pointer"
shown '^vkCreateInstance .*"pApplicationInfo": \{"sType": "VK_STRUCTURE_TYPE_APPLICATION_INFO", "pApplicationName": "vulkaninfo"' "structs are followed, texts shown"
shown '^vkGetPhysicalDeviceFeatures2 .*"pNext": \[\{"sType": "VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_' "and chains"
shown '^vkGetPhysicalDeviceFormatProperties .*"format": "VK_FORMAT_R8G8B8A8_UNORM", .*"optimalTilingFeatures": "VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT\|' "and flags are shown by name"
shown '^vkGetPhysicalDeviceMemoryProperties .*"VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT' "and what the driver fills in"
shown '^vk(GetDeviceGroupPresentCapabilitiesKHR|DestroyDebugReportCallbackEXT) ' "a function of an extension, by its pointer, is in the trace"
unlike "$(cat traced.err)" 'never destroyed:' "it leaks nothing, and no object is said to"

# Its filter is a compute program. Release 7 calls the newer functions for submits and barriers, and keeps its instance and device to the end.
blur=(ffmpeg -hide_banner -loglevel error -init_hw_device vulkan=v:0 -filter_hw_device v -f lavfi -i testsrc=d=0.2:s=64x64:r=10
	-vf format=rgba,hwupload,avgblur_vulkan,hwdownload,format=rgba -f md5 -)
program ffmpeg "${blur[@]}"
counted none "${blur[@]}"
shown '^vkQueueSubmit2? .*"pSubmits": \[\{"sType": "VK_STRUCTURE_TYPE_SUBMIT_INFO(_2)?"' "it opens the loader itself, and its submits are in the trace"
shown '^vkCmdPipelineBarrier( .*"srcStageMask": "VK_PIPELINE_STAGE_|2 .*"oldLayout": "VK_IMAGE_LAYOUT_)' "and its commands"
shown '^vkCreateComputePipelines .*"pCreateInfos": \[\{"sType": "VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO".*"pPipelines": \["0x' "and its pipelines, as many as there are"
kept=$(awk '/^vkCreate(Instance|Device) / { n += $2 } /^vkDestroy(Instance|Device) / { n -= $2 } END { print n + 0 }' want)
if test "$kept" = 0; then
	unlike "$(cat traced.err)" 'never destroyed:' "what it creates, it destroys"
else
	is "$(grep -cE '^  1 Vk(Instance|Device) created by vkCreate.* and never destroyed:' traced.err)" "$kept" "what it destroys not, is said to leak"
fi

if venv=$(kept_venv "$kept" wgpu-0.32.0 wgpu==0.32.0); then
	program wgpu "$venv/bin/python" -B "$top_srcdir/tests/whole/vk_wgpu.py"
	counted 'vkGetSemaphoreCounterValue|vkWaitSemaphores' "$venv/bin/python" -B "$top_srcdir/tests/whole/vk_wgpu.py"
	is "$(grep -c '^vkCmdDispatch ' calls)" 3 "WebGPU on Vulkan: each of three compute programs is dispatched"
else
	skip 4 "$venv"
fi

normalise() { sort; }
program vkcube xvfb-run -a vkcube --c 10
is "$(grep -c '^vkQueuePresentKHR ' calls)" 10 "ten pictures are presented"
is "$(grep -c '^vkAcquireNextImageKHR ' calls)" "$(grep -c '^vkQueueSubmit .*"waitSemaphoreCount": 1' calls)" "an image is asked for before each"
is "$(grep -c '^vkCreateX\(cb\|lib\)SurfaceKHR .*"pSurface": "0x' calls)" 1 "and where they are shown, which only the window system's header declares"
sort calls | cut -d' ' -f1 >plain
program "vkcube, checked by Khronos's validation layer" env VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation xvfb-run -a vkcube --c 10
sort calls | cut -d' ' -f1 >checked
is "$(grep -vc '^vkGet\|^vkEnumerate' checked)" "$(grep -vc '^vkGet\|^vkEnumerate' plain)" "its calls are in the trace, and not the layer's own"

# --- a call that fails
cat >fails.c <<'END_OF_C'
#include <stdio.h>
#include <vulkan/vulkan.h>
int main(void)
{
	const char *none = "VK_LAYER_that_nobody_has";
	VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .enabledLayerCount = 1, .ppEnabledLayerNames = &none};
	VkInstance instance, kept;
	printf("%d\n", vkCreateInstance(&info, NULL, &instance));
	info.enabledLayerCount = 0;
	return vkCreateInstance(&info, NULL, &kept);
}
END_OF_C
ok "a program that fails is built" ${CC:-cc} -o fails fails.c -lvulkan
program "a program that fails" ./fails
shown '^vkCreateInstance .*"ppEnabledLayerNames": \["VK_LAYER_that_nobody_has"\].*"result": "VK_ERROR_LAYER_NOT_PRESENT"' "its result is shown by name"
is "$(awk '$1 == "vkCreateInstance" { print $2, $3 }' traced.err)" '2 1' "and is in the failed column"
like "$(cat traced.err)" '1 VkInstance created by vkCreateInstance and never destroyed' "the instance that it keeps leaks"

# --- flags of 64 bits, which the header has as constants
cat >barriers.c <<'END_OF_C'
#include <vulkan/vulkan.h>
int main(void)
{
	VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_3};
	VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &app};
	float priority = 1;
	uint32_t one = 1;
	VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
	VkPhysicalDeviceSynchronization2Features newer = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SYNCHRONIZATION_2_FEATURES, .synchronization2 = VK_TRUE};
	VkDeviceCreateInfo with = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .pNext = &newer, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue};
	VkCommandPoolCreateInfo pooled = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
	VkFormatProperties3 wide = {.sType = VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_3};
	VkFormatProperties2 format = {.sType = VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_2, .pNext = &wide};
	VkInstance instance;
	VkPhysicalDevice physical;
	VkDevice device;
	VkCommandPool pool;
	VkCommandBuffer buffer;

	if (vkCreateInstance(&info, NULL, &instance) || vkEnumeratePhysicalDevices(instance, &one, &physical) < 0 ||
	    vkCreateDevice(physical, &with, NULL, &device) || vkCreateCommandPool(device, &pooled, NULL, &pool))
		return 1;
	vkGetPhysicalDeviceFormatProperties2(physical, VK_FORMAT_R8G8B8A8_UNORM, &format);
	VkCommandBufferAllocateInfo sized = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = pool, .commandBufferCount = 1};
	VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
	VkMemoryBarrier2 barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
				    .srcStageMask = VK_PIPELINE_STAGE_2_COPY_BIT | VK_PIPELINE_STAGE_2_HOST_BIT,
				    .srcAccessMask = VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT | VK_ACCESS_2_TRANSFER_WRITE_BIT,
				    .dstStageMask = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT};
	VkDependencyInfo barriers = {.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO, .memoryBarrierCount = 1, .pMemoryBarriers = &barrier};
	if (vkAllocateCommandBuffers(device, &sized, &buffer) || vkBeginCommandBuffer(buffer, &begin))
		return 1;
	vkCmdPipelineBarrier2(buffer, &barriers);
	vkEndCommandBuffer(buffer);
	vkDestroyCommandPool(device, pool, NULL);
	vkDestroyDevice(device, NULL);
	vkDestroyInstance(instance, NULL);
	return 0;
}
END_OF_C
ok "a program with newer barriers is built" ${CC:-cc} -o barriers barriers.c -lvulkan
program "a program with newer barriers" ./barriers
shown '"srcStageMask": "VK_PIPELINE_STAGE_2_HOST_BIT\|VK_PIPELINE_STAGE_2_COPY_BIT", "srcAccessMask": "VK_ACCESS_2_TRANSFER_WRITE_BIT\|VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT", "dstStageMask": "VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT", "dstAccessMask": "VK_ACCESS_2_NONE"' \
	"their flags of 64 bits are shown by name"
shown '^vkGetPhysicalDeviceFormatProperties2 .*"sType": "VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_3", "linearTilingFeatures": "VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT\|' \
	"and those that the driver fills in"

# --- what a call fills in
cat >fills.c <<'END_OF_C'
#include <stdio.h>
#include <string.h>
#include <vulkan/vulkan.h>
int main(void)
{
	VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_3};
	VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &app};
	float priority = 1;
	uint32_t one = 1, groups = 1;
	VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
	VkDeviceCreateInfo with = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue};
	VkCommandPoolCreateInfo pooled = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
	VkDescriptorSetLayoutBinding binding = {0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_ALL, NULL};
	VkDescriptorSetLayoutCreateInfo bound = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 1, .pBindings = &binding};
	VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 4};
	VkDescriptorPoolCreateInfo sized = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 4, .poolSizeCount = 1, .pPoolSizes = &size};
	VkPrivateDataSlotCreateInfo slotted = {.sType = VK_STRUCTURE_TYPE_PRIVATE_DATA_SLOT_CREATE_INFO};
	VkBufferCreateInfo stored = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = 64, .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT};
	VkDeviceBufferMemoryRequirements asked = {.sType = VK_STRUCTURE_TYPE_DEVICE_BUFFER_MEMORY_REQUIREMENTS, .pCreateInfo = &stored};
	VkMemoryDedicatedRequirements alone = {.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_REQUIREMENTS};
	VkMemoryRequirements2 needed = {.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2, .pNext = &alone};
	VkPhysicalDeviceGroupProperties group;
	VkPhysicalDeviceMemoryProperties memory;
	VkInstance instance;
	VkPhysicalDevice physical;
	VkDevice device;
	VkCommandPool pool;
	VkCommandBuffer buffers[5];
	VkDescriptorSetLayout layout;
	VkDescriptorPool sets_from;
	VkDescriptorSet sets[3];
	VkPrivateDataSlot slot;

	memset(buffers, 0x5a, sizeof buffers);
	memset(sets, 0x6b, sizeof sets);
	memset(&memory, 0xcc, sizeof memory);
	memset(&group, 0xcc, sizeof group);
	group.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GROUP_PROPERTIES;
	group.pNext = NULL;
	if (vkCreateInstance(&info, NULL, &instance) || vkEnumeratePhysicalDevices(instance, &one, &physical) < 0 ||
	    vkEnumeratePhysicalDeviceGroups(instance, &groups, &group) < 0 || vkCreateDevice(physical, &with, NULL, &device) ||
	    vkCreateCommandPool(device, &pooled, NULL, &pool) || vkCreateDescriptorSetLayout(device, &bound, NULL, &layout) ||
	    vkCreateDescriptorPool(device, &sized, NULL, &sets_from) || vkCreatePrivateDataSlot(device, &slotted, NULL, &slot))
		return 1;
	vkGetPhysicalDeviceMemoryProperties(physical, &memory);
	vkGetDeviceBufferMemoryRequirements(device, &asked, &needed);
	VkCommandBufferAllocateInfo commands = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = pool, .commandBufferCount = 5};
	VkDescriptorSetAllocateInfo some = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, .descriptorPool = sets_from, .descriptorSetCount = 3,
		.pSetLayouts = (VkDescriptorSetLayout[]){layout, layout, layout}};
	if (vkAllocateCommandBuffers(device, &commands, buffers) || vkAllocateDescriptorSets(device, &some, sets))
		return 1;
	FILE *to = fopen("want", "w");
	fprintf(to, "[\"%p\", \"%p\", \"%p\", \"%p\", \"%p\"]\n", (void *)buffers[0], (void *)buffers[1], (void *)buffers[2], (void *)buffers[3], (void *)buffers[4]);
	fprintf(to, "[\"%p\", \"%p\", \"%p\"]\n", (void *)sets[0], (void *)sets[1], (void *)sets[2]);
	fprintf(to, "%u %u %u\n", memory.memoryTypeCount, memory.memoryHeapCount, group.physicalDeviceCount);
	fclose(to);
	vkDestroyPrivateDataSlot(device, slot, NULL);
	vkDestroyDescriptorPool(device, sets_from, NULL);
	vkDestroyDescriptorSetLayout(device, layout, NULL);
	vkDestroyCommandPool(device, pool, NULL);
	vkDestroyDevice(device, NULL);
	vkDestroyInstance(instance, NULL);
	return 0;
}
END_OF_C
ok "a program that allocates several at once is built" ${CC:-cc} -o fills fills.c -lvulkan
program "a program that allocates several at once" ./fills
sed -n 's/^vkAllocateCommandBuffers .*"pCommandBuffers": \(\[[^]]*\]\).*/\1/p; s/^vkAllocateDescriptorSets .*"pDescriptorSets": \(\[[^]]*\]\).*/\1/p' calls >seen
"$python" - <<-'PYTHON' >>seen
	import json
	calls = {line.split()[0]: json.loads(line.split(" ", 1)[1]) for line in open("calls")}
	memory = calls["vkGetPhysicalDeviceMemoryProperties"]["pMemoryProperties"]
	print(len(memory["memoryTypes"]), len(memory["memoryHeaps"]),
	      len(calls["vkEnumeratePhysicalDeviceGroups"]["pPhysicalDeviceGroupProperties"][0]["physicalDevices"]))
PYTHON
same want seen "all that it gets are shown, and of arrays with a count beside them so many elements"
shown '^vkCreatePrivateDataSlot .*"pPrivateDataSlot": "0x' "and an object that no rule names"
shown '^vkGetDeviceBufferMemoryRequirements .*"pMemoryRequirements": \{"sType": "VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2", .*"size": 64.*"sType": "VK_STRUCTURE_TYPE_MEMORY_DEDICATED_REQUIREMENTS"' "and a struct with its chain"
like "$(cat traced.err)" '0 objects never destroyed, 0 wrong calls' "none of which leaks"

# --- a program that opens the driver itself, as ncnn does where VK_ICD_FILENAMES names one, and then a plugin that is linked with the loader
cat >direct.c <<'END_OF_C'
#include <dlfcn.h>
#include <stdio.h>
#include <vulkan/vulkan.h>
#define GET(name) PFN_##name name = (PFN_##name)get(instance, #name)
int main(int argc, char **argv)
{
	void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
	VkInstance instance = NULL;
	PFN_vkGetInstanceProcAddr get = library ? (PFN_vkGetInstanceProcAddr)dlsym(library, argv[2]) : NULL;
	if (!get)
		return 2;
	VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
	float priority = 1;
	uint32_t one = 1;
	VkDeviceQueueCreateInfo queues = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
	VkDeviceCreateInfo with = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queues};
	VkPhysicalDevice physical;
	VkPhysicalDeviceProperties properties;
	VkDevice device;
	VkQueue queue;
	GET(vkCreateInstance);
	printf("%d\n", vkCreateInstance(&info, NULL, &instance));
	GET(vkEnumeratePhysicalDevices);
	GET(vkGetPhysicalDeviceProperties);
	GET(vkCreateDevice);
	GET(vkGetDeviceProcAddr);
	GET(vkDestroyInstance);
	printf("%d\n", vkEnumeratePhysicalDevices(instance, &one, &physical));
	vkGetPhysicalDeviceProperties(physical, &properties);
	printf("%s\n%d\n", properties.deviceName, vkCreateDevice(physical, &with, NULL, &device));
#define GET_OF_DEVICE(name) PFN_##name name = (PFN_##name)vkGetDeviceProcAddr(device, #name)
	GET_OF_DEVICE(vkGetDeviceQueue);
	GET_OF_DEVICE(vkQueueSubmit);
	GET_OF_DEVICE(vkDeviceWaitIdle);
	GET_OF_DEVICE(vkDestroyDevice);
	vkGetDeviceQueue(device, 0, 0, &queue);
	for (int i = 0; i < 7; i++)
		printf("%d\n", vkQueueSubmit(queue, 0, NULL, VK_NULL_HANDLE));
	printf("%d\n", vkDeviceWaitIdle(device));
	void *plugin = argc > 3 ? dlopen(argv[3], RTLD_NOW | RTLD_LOCAL) : NULL;
	int (*run)(void) = plugin ? (int (*)(void))dlsym(plugin, "run") : NULL;
	printf("%d\n", run ? run() : -1);
	printf("%d\n", vkQueueSubmit(queue, 0, NULL, VK_NULL_HANDLE));
	vkDestroyDevice(device, NULL);
	vkDestroyInstance(instance, NULL);
	return 0;
}
END_OF_C
cat >linked.c <<'END_OF_C'
#include <vulkan/vulkan.h>
int run(void)
{
	VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
	VkInstance instance;
	VkPhysicalDevice physical;
	VkPhysicalDeviceProperties properties;
	uint32_t one = 1;
	if (vkCreateInstance(&info, 0, &instance) || vkEnumeratePhysicalDevices(instance, &one, &physical))
		return 1;
	vkGetPhysicalDeviceProperties(physical, &properties);
	vkDestroyInstance(instance, 0);
	return (int)one;
}
END_OF_C
ok "a program that opens the driver itself is built" ${CC:-cc} -o direct direct.c -ldl
ok "and a plugin that is linked with the loader" ${CC:-cc} -shared -fPIC -o linked.so linked.c -lvulkan
lavapipe=$("$python" -c 'import json, sys; print(json.load(open(sys.argv[1]))["ICD"]["library_path"])' "$driver")
names() { cut -d' ' -f1 calls | sed 's/^vk_icdGet/vkGet/' | sort | uniq -c; }
program "a program by the loader" ./direct libvulkan.so.1 vkGetInstanceProcAddr
names >want
program "the same program by the driver's own function" ./direct "$lavapipe" vk_icdGetInstanceProcAddr
names >seen
same want seen "has the same calls in its trace: $(wc -l <calls)"
is "$(grep -c '^vkQueueSubmit ' calls) $(grep -c '^vk_icdGetInstanceProcAddr ' calls)" '8 6' "those by functions of the device, and those for which the driver was asked"
like "$(cat traced.err)" '0 objects never destroyed, 0 wrong calls' "none of which leaks"
program "with a plugin that is linked with the loader, later" ./direct "$lavapipe" vk_icdGetInstanceProcAddr ./linked.so
is "$(grep -c '^vkCreateInstance ' calls) $(grep -c '^vkQueueSubmit ' calls)" '2 8' "has both in its trace"
"$tracelayer" run -o none.json -- ./direct "$lavapipe" vk_icdGetInstanceProcAddr 2>&1 >/dev/null | tail -n 1 >said
is "$(cat said)" "tracelayer: no trace: the program uses $(basename "$lavapipe"), which is not traced; add --api=vulkan, or see tracelayer apis" "without shims, run says how to trace it"

# --- the descriptor against the registry that Vulkan's headers are made from
registry_agrees()
{
	"$top_builddir/tracegen" model --api "$top_srcdir/gen/apis/vulkan.json" -o model.json || return
	"$python" - $registry <<-'PYTHON'
	import json, sys
	import xml.etree.ElementTree as tree
	model = json.load(open("model.json"))
	owners = {f["name"]: f.get("params", []) for f in model["functions"]}
	owners.update({t["name"]: t.get("members", []) for t in model["types"] if t.get("name")})
	root, seen, wrong = tree.parse(sys.argv[1]).getroot(), 0, []
	def check(owner, element):
	    global seen
	    words, name = (element.get("len") or "").split(","), element.find("name").text
	    variable = next((v for v in owners[owner] if v["name"] == name), None)
	    if not words[0].replace("-", "_").replace("_>", "").isidentifier() or variable is None or "*" not in "".join(element.itertext()):
	        return
	    seen += 1
	    length = variable.get("length", {})
	    sibling = "->".join(length[k] for k in ("sibling", "member") if k in length)
	    if (length.get("kind") != "string") if words[0] == "null-terminated" else sibling != words[0]:
	        wrong.append(f"{owner}.{name}: {words[0]}, not {length}")
	for command in root.iter("command"):
	    if command.find("proto") is not None and command.find("proto/name").text in owners:
	        for param in command.findall("param"):
	            check(command.find("proto/name").text, param)
	for struct in root.iter("type"):
	    if struct.get("category") == "struct" and struct.get("name") in owners:
	        for member in struct.findall("member"):
	            check(struct.get("name"), member)
	print(seen, "lengths;", len(wrong), "wrong", *wrong, sep="\n")
	sys.exit(seen < 300 or len(wrong) > 0)
	PYTHON
}
ok "every length that Vulkan's registry gives is the descriptor's" registry_agrees
# What a call may write to, the registry has without const. Types of window systems, and void, are addresses.
outputs_agree()
{
	"$python" - $registry <<-'PYTHON'
	import json, sys
	import xml.etree.ElementTree as tree
	model = json.load(open("model.json"))
	owners = {f["name"]: {p["name"]: p for p in f.get("params", [])} for f in model["functions"]}
	members = {(t["name"], m["name"]): m for t in model["types"] if t.get("name") for m in t.get("members", [])}
	root, seen, wrong = tree.parse(sys.argv[1]).getroot(), 0, []
	structure = {c.find("proto/name").text: c for c in root.iter("command") if c.find("proto") is not None}
	for command in root.find("commands"):
	    name = command.get("name") or command.findtext("proto/name")
	    for element in structure.get(command.get("alias") or name, command).findall("param"):
	        param, text = owners.get(name, {}).get(element.findtext("name")), "".join(element.itertext())
	        if param is None or "*" not in text or not (element.findtext("type") or "").startswith("Vk"):
	            continue
	        seen += 1
	        if ("out" in param.get("direction", [])) != ("const" not in text):
	            wrong.append(f"{name}:{param['name']}")
	# What only comes out of a call is not read before it.
	for struct in root.iter("type"):
	    for element in struct.findall("member") if struct.get("returnedonly") else []:
	        member = members.get((struct.get("name"), element.findtext("name")))
	        if member and "*" in "".join(element.itertext()) and "in" in member.get("direction", []):
	            wrong.append(f"{struct.get('name')}.{member['name']}")
	print(seen, "pointers;", len(wrong), "wrong", *wrong, sep="\n")
	sys.exit(seen < 300 or len(wrong) > 0)
	PYTHON
}
ok "whatever the registry has as an output is the descriptor's" outputs_agree
# Every type of flags of which the registry names bits, is one in the model, with all of them but those of platforms that are not here.
flags_agree()
{
	"$python" - $registry <<-'PYTHON'
	import json, sys
	import xml.etree.ElementTree as tree
	types = {t["name"]: t for t in json.load(open("model.json"))["types"] if t.get("name")}
	root, seen, wide, wrong = tree.parse(sys.argv[1]).getroot(), 0, 0, []
	bits = {e.get("name"): {v.get("name") for v in e.findall("enum") if not v.get("alias")} for e in root.iter("enums") if e.get("type") == "bitmask"}
	for kind in root.iter("type"):
	    names = bits.get(kind.get("bitvalues") or kind.get("requires") or "")
	    name = kind.findtext("name")
	    if kind.get("category") != "bitmask" or not names or name not in types:
	        continue
	    seen, wide = seen + 1, wide + (types[name]["size"] == 8)
	    if types[name]["kind"] != "flags" or names - {v["name"] for v in types[name]["enumerators"]}:
	        wrong.append(name)
	print(seen, "sets;", wide, "of 64 bits;", len(wrong), "wrong", *wrong, sep="\n")
	sys.exit(seen < 60 or wide < 3 or len(wrong) > 0)
	PYTHON
}
ok "every set of flags that the registry has is shown by its names" flags_agree
