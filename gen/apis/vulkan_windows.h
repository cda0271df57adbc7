/* SPDX-License-Identifier: MIT */
/*
 * vulkan_windows.h: vulkan.h with the functions for window systems, which vulkan.h declares only for
 * a program that asks for them. The types are those of the window systems' own headers, which need
 * not be installed.
 */
#include <vulkan/vulkan.h>

/* Drivers have it, not the loader. A program that opens a driver itself asks it for all others. */
PFN_vkVoidFunction vk_icdGetInstanceProcAddr(VkInstance instance, const char *pName);

#if __has_include(<vulkan/vulkan_xcb.h>)
typedef struct xcb_connection_t xcb_connection_t;
typedef uint32_t xcb_window_t;
typedef uint32_t xcb_visualid_t;
#include <vulkan/vulkan_xcb.h>
#endif

#if __has_include(<vulkan/vulkan_xlib.h>)
typedef struct _XDisplay Display;
typedef unsigned long Window;
typedef unsigned long VisualID;
#include <vulkan/vulkan_xlib.h>
#endif

#if __has_include(<vulkan/vulkan_xlib_xrandr.h>)
typedef unsigned long RROutput;
#include <vulkan/vulkan_xlib_xrandr.h>
#endif

#if __has_include(<vulkan/vulkan_wayland.h>)
struct wl_display;
struct wl_surface;
#include <vulkan/vulkan_wayland.h>
#endif

#if __has_include(<vulkan/vulkan_directfb.h>)
typedef struct _IDirectFB IDirectFB;
typedef struct _IDirectFBSurface IDirectFBSurface;
#include <vulkan/vulkan_directfb.h>
#endif
